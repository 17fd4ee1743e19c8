/* file/connected.c -- inputs and ports of subsystems that nothing is connected to,
 * all of them in one message, each with its place in the file. */
#include "file/reader.h"

#include "graph/graph.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TOLD = 12 };

static const yk_file_part *part_of(const yoke_file *file, const char *name)
{
    for (int i = 0; i < file->facts.parts; i++)
        if (strcmp(file->facts.part[i].name, name) == 0)
            return &file->facts.part[i];
    return NULL;
}

/* "p.i" beside an output "p.v", or "into(p)" beside "v(p)": the flow of a port,
 * whose name is copied. */
static bool is_port(const yoke_system *s, const char *input, char port[80])
{
    const yoke_system_info *info = yoke_system_facts(s);
    const size_t into = strlen("into("), length = strlen(input);
    const char *dot = strrchr(input, '.');
    char wanted[100];

    if (strncmp(input, "into(", into) == 0 && length < 70) {
        snprintf(port, 80, "%.*s", (int)(length - into - 1), input + into);
        snprintf(wanted, sizeof wanted, "v(%s)", port);
        return yk_texts_find(info->y_name, info->p, wanted) >= 0;
    }
    if (!dot || dot - input >= 70) return false;
    snprintf(port, 80, "%.*s", (int)(dot - input), input);
    for (int k = 0; k < info->p; k++)
        if (strncmp(info->y_name[k], input, (size_t)(dot - input) + 1) == 0)
            return true;
    return false;
}

static void tell(const yoke_file *file, const yoke_system *s, const char *input,
                 char *text, size_t room)
{
    const char *name = yoke_system_name(s);
    const yk_file_part *part = part_of(file, name);
    char place[600] = "", port[80];

    if (part && part->file)
        snprintf(place, sizeof place, "%.500s:%d:%d: ", part->file, part->line,
                 part->column);
    if (part && !part->file && part->path)
        snprintf(text, room,
                 "%.500s: input \"%.80s.%.80s\" has no value: a model that is "
                 "run alone has no inputs; couple it in a system file, "
                 "\"- signal: %.80s.%.80s = 1\", or make the input a parameter",
                 part->shown ? part->shown : part->path, name, input, name,
                 input);
    else if (is_port(s, input, port))
        snprintf(
            text, room,
            "%sthe port \"%.80s.%s\" is open: join it to another one under "
            "couplings, \"- connect: [%.80s.%s, OTHER.PORT]\"",
            place, name, port, name, port);
    else
        snprintf(text, room,
                 "%sinput \"%.80s.%.80s\" is not connected; connect it with a "
                 "signal, \"- signal: %.80s.%.80s = OTHER.OUTPUT\", or declare "
                 "an input of the system (inputs:) and connect that",
                 place, name, input, name, input);
}

/* Whether each input has a source: those of one subsystem after those of the one
 * before, which begin at first[]. */
static yoke_status find_fed(const yoke_graph *graph, int **first, bool **fed,
                            yoke_err *err)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(graph, &link);
    const int nodes = yoke_graph_count(graph);
    int total = 0;

    YK_TRY(yk_ints(first, (size_t)nodes + 1, err));
    for (int i = 0; i < nodes; i++) {
        (*first)[i] = total;
        total += yoke_system_facts(yoke_graph_system(graph, i))->m;
    }
    YK_TRY(YK_NEW(fed, (size_t)total + 1, err));
    for (int l = 0; l < links; l++)
        (*fed)[(*first)[link[l].to] + link[l].input] = true;
    return YOKE_OK;
}

static void refuse(const yoke_file *file, const yoke_system *s,
                   const char *input, int count, yoke_err *err)
{
    char text[1200];

    if (count > MOST_TOLD) return;
    tell(file, s, input, text, sizeof text);
    if (count == 1)
        yk_fail(err, YOKE_E_MODEL, "%s", text);
    else
        yk_suffix(err, "\n%s", text);
}

yoke_status yoke_file_connected(const yoke_file *file, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_graph *graph = file->model->graph;
    int *first = NULL, count = 0;
    bool *fed = NULL;

    YK_GO(find_fed(graph, &first, &fed, err));
    for (int i = 0; i < yoke_graph_count(graph); i++) {
        const yoke_system *s = yoke_graph_system(graph, i);
        const yoke_system_info *info = yoke_system_facts(s);
        for (int k = 0; k < info->m; k++)
            if (!fed[first[i] + k])
                refuse(file, s, info->u_name[k], ++count, err);
    }
    if (count > MOST_TOLD) yk_suffix(err, "\nand %d more", count - MOST_TOLD);
    if (count > 0) status = YOKE_E_MODEL;
done:
    YK_FREE(first, fed);
    return status;
}
