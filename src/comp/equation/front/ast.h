/* comp/equation/front/ast.h -- the text of a model as a tree.  All of it lies
 * in one arena. */
#ifndef YK_AST_H
#define YK_AST_H

#include "comp/equation/flat.h"
#include "comp/equation/front/lex.h"

#define YK_FLAT_ADVICE                                                         \
    "write flat text with OpenModelica: omc --BaseModelica -i=Package.Model "  \
    "Package.mo > Model.bmo"

typedef enum yk_type {
    YK_TYPE_REAL,
    YK_TYPE_INTEGER,
    YK_TYPE_BOOLEAN,
    YK_TYPE_STRING
} yk_type;

typedef struct yk_shape {
    yk_type type;
    int dims, size[YK_FLAT_LOOPS];
} yk_shape;

typedef enum yk_ast_kind {
    YK_EXPR_NUMBER,
    YK_EXPR_BOOLEAN,
    YK_EXPR_STRING,
    YK_EXPR_REFERENCE,     /* name with dots; children: subscripts */
    YK_EXPR_CALL,          /* name; children: arguments */
    YK_EXPR_ARRAY,         /* {a, b} */
    YK_EXPR_MATRIX,        /* [a, b; c, d]: children are ARRAYs, the rows */
    YK_EXPR_COMPREHENSION, /* child for iterators */
    YK_EXPR_RANGE,         /* first : last or first : step : last */
    YK_EXPR_IF,            /* c1, e1, c2, e2, ..., e */
    YK_EXPR_SUM,           /* op[k] before child k */
    YK_EXPR_PRODUCT,
    YK_EXPR_POWER,
    YK_EXPR_NEGATE,
    YK_EXPR_NOT,
    YK_EXPR_AND,
    YK_EXPR_OR,
    YK_EXPR_RELATION,
    YK_EXPR_PART,   /* (of)[i, j]; children: subscripts */
    YK_EXPR_MEMBER, /* (of).name; child: what it means, once that is known */
    YK_EXPR_TUPLE,  /* (a, , b): a child may be NULL */
    YK_EXPR_COLON,  /* a whole dimension */
    YK_EXPR_END     /* the size of the dimension that is subscripted */
} yk_ast_kind;

typedef struct yk_expr yk_expr;

typedef struct yk_iterator {
    const char *name;
    yk_place at;
    yk_expr *range;
} yk_iterator;

/* Chains a + b - c are one node, so that the depth of the tree is that of the
 * nesting in the text.  Elementwise operators have the codes p m t d e for
 * .+ .- .* ./ .^, relations < l > g = n for < <= > >= == <>. */
struct yk_expr {
    yk_ast_kind kind;
    yk_place at;
    const char *name;
    const char *scalar; /* REFERENCE: a[1].x as it is written, or NULL */
    int *behind; /* the same: how much of the name each subscript is behind;
                    NULL: not known, or done with */
    double number;
    bool whole;
    int count;
    yk_expr **child;
    char *op;
    const char **label; /* names of arguments, NULL if none has one */
    int iterators;
    yk_iterator *iterator;
    yk_expr *of;    /* PART, MEMBER; CALL: a member of its result */
    int result;     /* CALL: which output of the function */
    yk_shape shape; /* if `stamp` is that of the scope */
    long stamp;
};

/* name = value, name(start = ...), for attributes and members */
typedef struct yk_modifier {
    const char *name;
    yk_place at;
    bool is_each, is_final;
    yk_expr *value; /* may be NULL */
    int count;
    struct yk_modifier **inner;
} yk_modifier;

typedef enum yk_variability {
    YK_CONTINUOUS,
    YK_DISCRETE,
    YK_PARAMETER,
    YK_CONSTANT
} yk_variability;

/* The dimensions that a name has up to some length of it: r[3].x[2] has
 * 1 up to "r" and 2 up to "r.x". */
enum { YK_MOST_LEVELS = 8 };
typedef struct yk_levels {
    int count;
    int length[YK_MOST_LEVELS], dims[YK_MOST_LEVELS];
} yk_levels;

typedef struct yk_declaration {
    const char *name, *type;
    const char *text; /* its description, or NULL */
    yk_place at, type_at;
    yk_variability variability;
    bool is_input, is_output, is_flow, is_final;
    int dims;
    yk_expr **dim;
    yk_modifier *modifier;      /* its inner ones and its value count */
    const char *whole, *member; /* part `member` of the record `whole` */
    const char *package;        /* a constant: path of its package */
    yk_levels levels;           /* of such a part */
} yk_declaration;

typedef enum yk_equation_kind {
    YK_EQUATION_EQUAL, /* also assignments */
    YK_EQUATION_CALL,  /* left is a CALL: assert, reinit, connect */
    YK_EQUATION_FOR,
    YK_EQUATION_IF,    /* branches; the last condition may be NULL */
    YK_EQUATION_WHEN,  /* branches */
    YK_EQUATION_WHILE, /* one branch */
    YK_EQUATION_BREAK,
    YK_EQUATION_RETURN,
    YK_EQUATION_DONE /* has been taken as a value */
} yk_equation_kind;

typedef struct yk_equation yk_equation;

typedef struct yk_branch {
    yk_expr *condition;
    int count, room;
    yk_equation **body;
} yk_branch;

struct yk_equation {
    yk_equation_kind kind;
    yk_place at;
    yk_expr *left, *right;
    int iterators;
    yk_iterator *iterator;
    int branches;
    yk_branch *branch; /* FOR has one */
};

typedef enum yk_class_kind {
    YK_CLASS_MODEL,
    YK_CLASS_FUNCTION,
    YK_CLASS_CONNECTOR,
    YK_CLASS_RECORD,
    YK_CLASS_TYPE, /* another name for a type, also of connectors */
    YK_CLASS_PACKAGE,
    YK_CLASS_ENUMERATION,
    YK_CLASS_OBJECT /* an external object */
} yk_class_kind;

/* annotation(experiment(...)) of a model: what is not written is NAN. */
typedef struct yk_experiment {
    double start, stop, tolerance, interval;
    int line; /* 0: there is none */
} yk_experiment;

/* external "C" result = name(arguments) */
typedef struct yk_external {
    yk_expr *result, *call; /* may be NULL */
    yk_place at;
} yk_external;

typedef struct yk_class {
    yk_class_kind kind;
    const char *name, *path; /* path: with the packages around it */
    yk_place at;
    int declarations;
    yk_declaration **declaration;
    bool is_impure, is_partial;
    yk_branch equations, initial;
    yk_branch algorithm;   /* of a function */
    yk_list algorithms;    /* yk_branch: the sections of a model */
    yk_list starters;      /* yk_branch: its initial algorithms */
    yk_external *external; /* a function: or NULL */
    yk_experiment experiment;
    yk_branch guesses;     /* guess(x) = value of parameter equations */
    yk_list literals;      /* names, of an enumeration */
    yk_declaration *alias; /* TYPE: what it stands for */
} yk_class;

/* All classes of a file, those in packages too; the constants of packages. */
typedef struct yk_source {
    const char *path;
    int classes, constants;
    yk_class **class_;
    yk_declaration **constant;
} yk_source;

yoke_status yk_parse(yk_source *out, yk_arena *arena, const char *path,
                     const char *text, size_t length, yoke_err *err);

#endif
