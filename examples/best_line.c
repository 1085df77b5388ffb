/*
 * Prints the line of best play from a position to the end of the game, a move a line.
 *
 *     best_line TABLE POSITION [OPTIONS]
 *
 * TABLE is a file or a folder of tables of any game, OPTIONS are as in "rules=wild". Where chance moves
 * next, there is no one line any more: it says so and ends.
 *
 *     cc best_line.c $(pkg-config --cflags --libs endtable) -o best_line
 */
#include <endtable.h>

#include <stdio.h>
#include <string.h>

/* Says what went wrong. The status is an exit code. */
static int failed(int status)
{
    fprintf(stderr, "best_line: %s\n", endtable_last_error());
    return status;
}

/* Follows the best moves: a position is the first one and all moves since. */
static int print_line(const endtable_t *tables, const char *start)
{
    char text[8192];
    int length = snprintf(text, sizeof text, "%s moves", start);
    while (length > 0 && (size_t)length < sizeof text) {
        endtable_position_t position;
        endtable_answer_t answer;
        int status;
        position.size = sizeof position;
        answer.size = sizeof answer;
        if ((status = endtable_position(tables, text, &position)) != ENDTABLE_OK)
            return failed(status);
        if (strcmp(position.turn, "chance") == 0) {
            fprintf(stderr, "chance moves next\n");
            return 0;
        }
        if ((status = endtable_probe(tables, text, &answer)) != ENDTABLE_OK)
            return failed(status);
        if (answer.best[0] == '\0') {
            fprintf(stderr, "the end: %s\n", position.over[0] ? position.over : "no move to make");
            return 0;
        }
        puts(answer.best);
        length += snprintf(text + length, sizeof text - (size_t)length, " %s", answer.best);
    }
    fprintf(stderr, "best_line: the game is too long\n");
    return 2;
}

int main(int argc, char **argv)
{
    const char *path;
    endtable_t *tables;
    int status;
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: best_line TABLE POSITION [OPTIONS]\n");
        return 2;
    }
    path = argv[1];
    status = endtable_open(&path, 1, argc == 4 ? argv[3] : NULL, &tables);
    if (status != ENDTABLE_OK)
        return failed(status);
    status = print_line(tables, argv[2]);
    endtable_close(tables);
    return status;
}
