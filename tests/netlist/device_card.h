/* tests/netlist/device_card.h -- one device from one line of text, for tests
 * and benchmarks of devices without the netlist reader:
 *
 *     KIND TYPE name=value ... : name=value ...
 *
 * parameters of the model (a flag is 1), then those of the element, or the words
 * off, meyer.
 */
#ifndef YK_TESTS_DEVICE_CARD_H
#define YK_TESTS_DEVICE_CARD_H

#include "comp/netlist/device/device.h"

#include <stdlib.h>
#include <string.h>

enum { CARD_PARAMS = 60, CARD_TEXT = 2000 };

typedef struct device_card {
    char text[CARD_TEXT];
    yk_net_param model_param[CARD_PARAMS], element_param[CARD_PARAMS];
    yk_net_model model;
    yk_net_element element;
    yk_netlist netlist;
    char name[3];
    int node[5];
    bool meyer;
} device_card;

static inline double card_number(const char *text)
{
    static const struct {
        const char *suffix;
        double factor;
    } suffixes[] = { { "meg", 1e6 }, { "f", 1e-15 }, { "p", 1e-12 },
                     { "n", 1e-9 },  { "u", 1e-6 },  { "m", 1e-3 },
                     { "k", 1e3 } };
    char *end = NULL;
    const double value = strtod(text, &end);

    for (size_t k = 0; k < sizeof suffixes / sizeof suffixes[0]; k++)
        if (strcmp(end, suffixes[k].suffix) == 0)
            return value * suffixes[k].factor;
    return value;
}

/* Fills `card`, which must stay where it is. */
static inline void card_read(device_card *card, const char *text)
{
    static const char nodes_of[] = "d2q3m4j3";
    const yk_net_place at = { "card", 1, 0 };
    bool in_element = false;
    int word = 0;

    memset(card, 0, sizeof *card);
    if (strlen(text) >= CARD_TEXT) abort();
    strcpy(card->text, text);
    for (char *t = strtok(card->text, " "); t; t = strtok(NULL, " ")) {
        if (word++ == 0) {
            card->element.kind = t[0];
        } else if (word == 2) {
            card->model.type = t;
        } else if (t[0] == ':') {
            in_element = true;
        } else if (strcmp(t, "off") == 0) {
            card->element.off = true;
        } else if (strcmp(t, "meyer") == 0) {
            card->meyer = true;
        } else {
            char *value = strchr(t, '=');
            yk_net_param *p = in_element
                                  ? &card->element_param[card->element.params++]
                                  : &card->model_param[card->model.params++];
            if (value) *value = '\0';
            *p = (yk_net_param){ t, value ? card_number(value + 1) : 1.0, at };
        }
    }
    card->name[0] = card->element.kind;
    card->name[1] = '1';
    card->model.name = "card";
    card->model.at = card->element.at = at;
    card->model.param = card->model_param;
    card->element.name = card->name;
    card->element.param = card->element_param;
    card->element.nodes = strchr(nodes_of, card->element.kind)[1] - '0';
    if (strncmp(card->model.type, "vdmos", 5) == 0) card->element.nodes = 3;
    card->element.node = card->node;
    for (int k = 0; k < 5; k++) card->node[k] = k + 1;
    card->netlist.models = card->netlist.elements = 1;
    card->netlist.model = &card->model;
    card->netlist.element = &card->element;
}

static inline yk_device_env card_env(double celsius)
{
    return (yk_device_env){ .temperature = celsius + 273.15,
                            .nominal = 300.15,
                            .gmin = 1e-12,
                            .scale = 1.0 };
}

static inline void card_close(device_card *card)
{
    yk_arena_clear(&card->netlist.arena);
}

#endif
