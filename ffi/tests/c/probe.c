/*
 * Uses the whole C interface, for the tests to compare with what Rust says.
 *
 *     probe tables OPTIONS PATH... < POSITIONS    what tables are, and their answers
 *     probe solver OPTIONS GAME < POSITIONS       the answers of a solver
 *     probe damaged OPTIONS GOOD BAD < POSITIONS  BAD is GOOD with a damaged block
 *     probe errors TABLE POSITION FOREIGN OTHER   what must be refused: FOREIGN is no table, OTHER does
 *                                                 not go with TABLE, which has POSITION
 *
 * POSITIONS are lines. For each one a line is printed with all that is known of it. Meanwhile it is
 * checked that a batch, and four threads at once, give the same answers. Exits with 0 if everything
 * holds; otherwise says what does not and exits with 1.
 */
#include "endtable.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define MOST_MOVES 256

#define CHECK(what)                                                                         \
    do {                                                                                    \
        if (!(what)) {                                                                      \
            fprintf(stderr, "line %d: %s does not hold; last error: %s\n", __LINE__, #what, \
                    endtable_last_error());                                                 \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

/* Positions, and the answers to them one by one. */
struct questions {
    const endtable_t *handle;
    size_t count;
    char **positions;
    endtable_answer_t *answers;
};

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    CHECK(memory != NULL);
    return memory;
}

static endtable_t *open_tables(const char *const *paths, size_t count, const char *options)
{
    endtable_t *handle = NULL;
    CHECK(endtable_open(paths, count, options, &handle) == ENDTABLE_OK);
    CHECK(handle != NULL);
    return handle;
}

/* The answer to a position, which is the same in memory that was cleared and that was not. */
static int probe(const endtable_t *handle, const char *position, endtable_answer_t *answer)
{
    int status;
    memset(answer, 0xa5, sizeof *answer);
    answer->size = sizeof *answer;
    status = endtable_probe(handle, position, answer);
    CHECK(answer->size == sizeof *answer);
    CHECK(answer->status == status);
    return status;
}

static struct questions read_questions(const endtable_t *handle)
{
    struct questions all = { NULL, 0, NULL, NULL };
    size_t space = 0, i;
    char line[2048];
    while (fgets(line, sizeof line, stdin)) {
        size_t length = strcspn(line, "\n");
        if (all.count == space) {
            space = space ? 2 * space : 1024;
            all.positions = realloc(all.positions, space * sizeof *all.positions);
            CHECK(all.positions != NULL);
        }
        line[length] = '\0';
        all.positions[all.count] = room(length + 1, 1);
        memcpy(all.positions[all.count++], line, length + 1);
    }
    CHECK(all.count > 0);
    all.handle = handle;
    all.answers = room(all.count, sizeof *all.answers);
    for (i = 0; i < all.count; i++)
        probe(handle, all.positions[i], &all.answers[i]);
    return all;
}

static void free_questions(struct questions *all)
{
    size_t i;
    for (i = 0; i < all->count; i++)
        free(all->positions[i]);
    free(all->positions);
    free(all->answers);
}

static const char *or_dash(const char *text)
{
    return *text ? text : "-";
}

static void print_worth(int32_t result, int32_t plies, int32_t searched, double value, int32_t unit)
{
    const char *word = "?", *counts = "?";
    switch (result) {
    case ENDTABLE_NO_RESULT: word = "none"; break;
    case ENDTABLE_WIN: word = "win"; break;
    case ENDTABLE_DRAW: word = "draw"; break;
    case ENDTABLE_LOSS: word = "loss"; break;
    case ENDTABLE_UNKNOWN: word = "unknown"; break;
    }
    switch (unit) {
    case ENDTABLE_NO_UNIT: counts = "none"; break;
    case ENDTABLE_SCORE: counts = "score"; break;
    case ENDTABLE_CHANCE: counts = "chance"; break;
    case ENDTABLE_ESTIMATE: counts = "estimate"; break;
    }
    printf("%s %d %d ", word, (int)plies, (int)searched);
    if (isnan(value))
        printf("nan %s", counts);
    else
        printf("%.17e %s", value, counts);
}

static void print_answer(const endtable_answer_t *it)
{
    print_worth(it->result, it->plies, it->searched, it->value, it->unit);
    printf(" %u %s %s %s", (unsigned)it->best_count, or_dash(it->best), or_dash(it->turn),
           or_dash(it->key));
}

/* Prints the answer with all moves, of which none is lost in an array that is too short. */
static void print_moves(const endtable_t *handle, const char *position, int status)
{
    static endtable_move_t moves[MOST_MOVES];
    endtable_answer_t answer, again;
    size_t count = 7, fewer = 7, i;
    answer.size = again.size = sizeof answer;
    moves[0].size = sizeof *moves;
    CHECK(endtable_probe_moves(handle, position, &answer, moves, MOST_MOVES, &count) == status);
    CHECK(endtable_probe_moves(handle, position, &again, NULL, 0, &fewer) == status);
    CHECK(memcmp(&answer, &again, sizeof answer) == 0);
    CHECK(fewer == count && count <= MOST_MOVES);
    CHECK(status == ENDTABLE_OK || count == 0);
    if (status != ENDTABLE_OK)
        return;
    printf(" | ");
    print_answer(&answer);
    for (i = 0; i < count; i++) {
        CHECK(moves[i].size == sizeof *moves && moves[i].reserved == 0);
        printf(" | %s %d ", moves[i].name, (int)moves[i].is_best);
        print_worth(moves[i].result, moves[i].plies, moves[i].searched, moves[i].value,
                    moves[i].unit);
    }
    if (count > 1) {
        endtable_move_t few[2];
        few[0].size = sizeof *few;
        few[1].size = 99;
        CHECK(endtable_probe_moves(handle, position, &again, few, 1, &fewer) == ENDTABLE_OK);
        CHECK(fewer == count && few[1].size == 99);
        CHECK(memcmp(few, moves, sizeof *few) == 0);
    }
}

/* Prints the position after a move, and its answer. */
static void print_after(const endtable_t *handle, const char *position, const char *move)
{
    char text[4096];
    endtable_position_t after;
    endtable_answer_t answer;
    int status;
    sprintf(text, "%s moves %s", position, move);
    after.size = sizeof after;
    status = endtable_position(handle, text, &after);
    printf(" | after %d", status);
    if (status != ENDTABLE_OK) {
        CHECK(probe(handle, text, &answer) == status);
        return;
    }
    CHECK(after.size == sizeof after && after.reserved == 0);
    status = probe(handle, text, &answer);
    printf(" %s %s %u %s, %s, %d ", or_dash(after.turn), after.key, (unsigned)after.move_count,
           after.text, or_dash(after.over), status);
    print_answer(&answer);
}

static void print_answers(const struct questions *all)
{
    size_t i;
    for (i = 0; i < all->count; i++) {
        const endtable_answer_t *answer = &all->answers[i];
        const char *position = all->positions[i];
        printf("%d ", (int)answer->status);
        print_answer(answer);
        print_moves(all->handle, position, answer->status);
        if (answer->status == ENDTABLE_OK)
            print_after(all->handle, position, answer->best);
        printf("\n");
    }
}

static void check_batch(const struct questions *all)
{
    endtable_answer_t *answers = room(all->count, sizeof *answers);
    const char *const *positions = (const char *const *)all->positions;
    int worst = ENDTABLE_OK;
    size_t i;
    for (i = 0; i < all->count; i++)
        if (all->answers[i].status > worst)
            worst = all->answers[i].status;
    answers[0].size = sizeof *answers;
    CHECK(endtable_probe_batch(all->handle, positions, all->count, answers) == worst);
    CHECK(memcmp(answers, all->answers, all->count * sizeof *answers) == 0);
    CHECK(endtable_probe_batch(all->handle, NULL, 0, NULL) == ENDTABLE_OK);
    free(answers);
}

/* Each thread goes through the positions in an order of its own. */
struct work {
    const struct questions *all;
    size_t step;
    size_t wrong;
};

static void *probe_in_thread(void *argument)
{
    struct work *work = argument;
    const struct questions *all = work->all;
    size_t i;
    for (i = 0; i < all->count; i++) {
        size_t number = (i * work->step + work->step) % all->count;
        endtable_answer_t answer;
        probe(all->handle, all->positions[number], &answer);
        if (memcmp(&answer, &all->answers[number], sizeof answer) != 0)
            work->wrong++;
    }
    /* Messages are each thread's own: this one has only the thread's own failure. */
    if (endtable_probe(NULL, "", NULL) != ENDTABLE_BAD_INPUT ||
        strcmp(endtable_last_error(), "answer is a null pointer") != 0)
        work->wrong++;
    return NULL;
}

static void check_threads(const struct questions *all)
{
    static const size_t steps[THREADS] = { 1, 7, 31, 127 };
    struct work work[THREADS];
    pthread_t threads[THREADS];
    int i;
    CHECK(endtable_probe(all->handle, NULL, NULL) == ENDTABLE_BAD_INPUT);
    for (i = 0; i < THREADS; i++) {
        work[i].all = all;
        work[i].step = steps[i];
        work[i].wrong = 0;
        CHECK(pthread_create(&threads[i], NULL, probe_in_thread, &work[i]) == 0);
    }
    for (i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(work[i].wrong == 0);
    }
}

static void answer_all(endtable_t *handle)
{
    struct questions all = read_questions(handle);
    print_answers(&all);
    check_batch(&all);
    check_threads(&all);
    free_questions(&all);
    endtable_close(handle);
}

static void tables(const char *options, const char *const *paths, size_t count)
{
    endtable_t *handle = open_tables(paths, count, options);
    endtable_info_t info;
    const char *text = NULL, *again = NULL;
    info.size = sizeof info;
    CHECK(endtable_info(handle, &info) == ENDTABLE_OK);
    printf("%s, %s, %" PRIu64 " files, %" PRIu64 " records\n", info.game, info.rules, info.files,
           info.records);
    CHECK(endtable_statistics(handle, &text) == ENDTABLE_OK);
    CHECK(endtable_statistics(handle, &again) == ENDTABLE_OK && again == text);
    printf("%s\n", text);
    answer_all(handle);
}

static void solver(const char *options, const char *game)
{
    endtable_t *handle = NULL;
    endtable_info_t info;
    const char *text = "";
    CHECK(endtable_open_solver(game, options, &handle) == ENDTABLE_OK);
    info.size = sizeof info;
    CHECK(endtable_info(handle, &info) == ENDTABLE_OK);
    CHECK(strcmp(info.game, game) == 0 && strcmp(info.rules, "") == 0);
    CHECK(info.files == 0 && info.records == 0);
    CHECK(endtable_statistics(handle, &text) == ENDTABLE_BAD_INPUT && text == NULL);
    answer_all(handle);
}

/* Every answer from damaged tables is the right one or an error. */
static void damaged(const char *options, const char *good, const char *bad)
{
    endtable_t *sound = open_tables(&good, 1, options), *broken = open_tables(&bad, 1, options);
    struct questions all = read_questions(sound);
    endtable_answer_t *answers = room(all.count, sizeof *answers);
    const char *text = "";
    size_t i, errors = 0;
    for (i = 0; i < all.count; i++) {
        if (probe(broken, all.positions[i], &answers[i]) == ENDTABLE_IO) {
            CHECK(strstr(endtable_last_error(), "damaged") != NULL);
            CHECK(answers[i].result == ENDTABLE_NO_RESULT && answers[i].plies == -1);
            CHECK(answers[i].best[0] == '\0' && answers[i].key[0] == '\0');
            errors++;
        } else {
            CHECK(memcmp(&answers[i], &all.answers[i], sizeof *answers) == 0);
        }
    }
    CHECK(errors > 0);
    memcpy(all.answers, answers, all.count * sizeof *answers);
    all.handle = broken;
    check_batch(&all);
    CHECK(strncmp(endtable_last_error(), "position ", 9) == 0);
    check_threads(&all);
    CHECK(endtable_statistics(broken, &text) == ENDTABLE_IO && text == NULL);
    CHECK(strstr(endtable_last_error(), "damaged") != NULL);
    printf("%lu of %lu are errors\n", (unsigned long)errors, (unsigned long)all.count);
    free(answers);
    free_questions(&all);
    endtable_close(sound);
    endtable_close(broken);
}

static void refuse_open(const char *const *paths, size_t count, const char *options, int status,
                        const char *because)
{
    endtable_t *handle = (endtable_t *)&handle;
    CHECK(endtable_open(paths, count, options, &handle) == status);
    CHECK(handle == NULL);
    CHECK(strstr(endtable_last_error(), because) != NULL);
}

static void refuse_solver(const char *game, const char *options, const char *because)
{
    endtable_t *handle = (endtable_t *)&handle;
    CHECK(endtable_open_solver(game, options, &handle) == ENDTABLE_BAD_INPUT);
    CHECK(handle == NULL);
    CHECK(strstr(endtable_last_error(), because) != NULL);
}

static void check_opening(const char *table, const char *foreign, const char *other)
{
    const char *missing = "no-such-folder/no-such-table.etb", *none = NULL;
    const char *both[2];
    both[0] = table;
    both[1] = other;
    refuse_open(&missing, 1, NULL, ENDTABLE_IO, "no-such-table.etb");
    refuse_open(&foreign, 1, NULL, ENDTABLE_IO, "not an endtable file");
    refuse_open(both, 2, NULL, ENDTABLE_BAD_INPUT, "differ");
    refuse_open(&table, 1, "no-such-option", ENDTABLE_BAD_INPUT, "not an option");
    refuse_open(&table, 1, "\xff", ENDTABLE_BAD_INPUT, "UTF-8");
    refuse_open(&table, 0, NULL, ENDTABLE_BAD_INPUT, "no path");
    refuse_open(NULL, 1, NULL, ENDTABLE_BAD_INPUT, "paths is a null pointer");
    refuse_open(&none, 1, NULL, ENDTABLE_BAD_INPUT, "a path is a null pointer");
    CHECK(endtable_open(&table, 1, NULL, NULL) == ENDTABLE_BAD_INPUT);
    refuse_solver(NULL, NULL, "game is a null pointer");
    refuse_solver("no-such-game", NULL, "no-such-game");
    refuse_solver(endtable_game(0), "no-such-option", "not an option");
    CHECK(endtable_open_solver(endtable_game(0), NULL, NULL) == ENDTABLE_BAD_INPUT);
    endtable_close(NULL);
}

static void check_null(const endtable_t *handle, const char *position)
{
    endtable_answer_t answer;
    endtable_position_t after;
    endtable_info_t info;
    const char *text = NULL;
    size_t count = 7;
    answer.size = sizeof answer;
    after.size = sizeof after;
    info.size = sizeof info;
    CHECK(probe(NULL, position, &answer) == ENDTABLE_BAD_INPUT);
    CHECK(probe(handle, NULL, &answer) == ENDTABLE_BAD_INPUT);
    CHECK(strcmp(endtable_last_error(), "position is a null pointer") == 0);
    CHECK(probe(handle, "\xff", &answer) == ENDTABLE_BAD_INPUT);
    CHECK(strcmp(endtable_last_error(), "position is not UTF-8") == 0);
    CHECK(endtable_probe(handle, position, NULL) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_probe_moves(NULL, position, &answer, NULL, 0, &count) == ENDTABLE_BAD_INPUT);
    CHECK(count == 0);
    CHECK(endtable_probe_moves(handle, NULL, &answer, NULL, 0, &count) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_probe_moves(handle, position, NULL, NULL, 0, &count) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_probe_moves(handle, position, &answer, NULL, 1, &count) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_probe_moves(handle, position, &answer, NULL, 0, NULL) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_probe_batch(NULL, &position, 1, &answer) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_probe_batch(handle, NULL, 1, &answer) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_probe_batch(handle, &position, 1, NULL) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_probe_batch(handle, &text, 1, &answer) == ENDTABLE_BAD_INPUT);
    CHECK(strcmp(endtable_last_error(), "position 0: position is a null pointer") == 0);
    CHECK(endtable_position(NULL, position, &after) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_position(handle, NULL, &after) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_position(handle, position, NULL) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_position(handle, position, &after) == ENDTABLE_OK);
    after.size = 0;
    CHECK(endtable_position(handle, position, &after) == ENDTABLE_BAD_INPUT);
    CHECK(strstr(endtable_last_error(), "sizeof(endtable_position_t)") != NULL);
    CHECK(endtable_info(NULL, &info) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_info(handle, NULL) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_statistics(NULL, &text) == ENDTABLE_BAD_INPUT && text == NULL);
    CHECK(endtable_statistics(handle, NULL) == ENDTABLE_BAD_INPUT);
}

/* A program that knows less members than the library, or more. */
static void check_sizes(const endtable_t *handle, const char *position)
{
    struct {
        endtable_answer_t known;
        char unknown[24];
    } grown;
    endtable_answer_t answer, older;
    endtable_move_t moves[1];
    size_t i, count;
    CHECK(probe(handle, position, &answer) == ENDTABLE_OK);

    memset(&grown, 0xa5, sizeof grown);
    grown.known.size = sizeof grown;
    CHECK(endtable_probe(handle, position, &grown.known) == ENDTABLE_OK);
    CHECK(grown.known.size == sizeof grown);
    grown.known.size = sizeof answer;
    CHECK(memcmp(&grown.known, &answer, sizeof answer) == 0);
    for (i = 0; i < sizeof grown.unknown; i++)
        CHECK(grown.unknown[i] == 0);

    memset(&older, 0xa5, sizeof older);
    older.size = offsetof(endtable_answer_t, best);
    CHECK(endtable_probe(handle, position, &older) == ENDTABLE_OK);
    CHECK(older.size == offsetof(endtable_answer_t, best));
    CHECK(older.result == answer.result && older.best_count == answer.best_count);
    for (i = older.size; i < sizeof older; i++)
        CHECK(((const unsigned char *)&older)[i] == 0xa5);

    answer.size = 0;
    CHECK(endtable_probe(handle, position, &answer) == ENDTABLE_BAD_INPUT);
    CHECK(strstr(endtable_last_error(), "sizeof(endtable_answer_t)") != NULL);
    CHECK(endtable_probe_batch(handle, &position, 1, &answer) == ENDTABLE_BAD_INPUT);
    answer.size = sizeof answer;
    moves[0].size = 0;
    CHECK(endtable_probe_moves(handle, position, &answer, moves, 1, &count) == ENDTABLE_BAD_INPUT);
    CHECK(strstr(endtable_last_error(), "sizeof(endtable_move_t)") != NULL);
}

/* A bad position does not spoil the others. */
static void check_mixed_batch(const endtable_t *handle, const char *position)
{
    const char *positions[3];
    endtable_answer_t answer, answers[3];
    positions[0] = "no such position";
    positions[1] = position;
    positions[2] = NULL;
    CHECK(probe(handle, position, &answer) == ENDTABLE_OK);
    answers[0].size = sizeof *answers;
    CHECK(endtable_probe_batch(handle, positions, 3, answers) == ENDTABLE_BAD_INPUT);
    CHECK(strncmp(endtable_last_error(), "position 0: no such position: ", 30) == 0);
    CHECK(answers[0].status == ENDTABLE_BAD_INPUT && answers[2].status == ENDTABLE_BAD_INPUT);
    CHECK(memcmp(&answers[1], &answer, sizeof answer) == 0);
}

static void errors(const char *table, const char *position, const char *foreign, const char *other)
{
    endtable_t *handle;
    CHECK(strcmp(endtable_last_error(), "") == 0);
    CHECK(strlen(endtable_version()) > 0);
    CHECK(endtable_abi() == ENDTABLE_ABI);
    CHECK(endtable_game(0) != NULL && endtable_game(1000) == NULL);
    check_opening(table, foreign, other);
    handle = open_tables(&table, 1, "");
    check_null(handle, position);
    check_sizes(handle, position);
    check_mixed_batch(handle, position);
    endtable_close(handle);
}

int main(int argc, char **argv)
{
    const char *const *words = (const char *const *)argv;
    if (argc >= 4 && strcmp(argv[1], "tables") == 0)
        tables(argv[2], words + 3, (size_t)argc - 3);
    else if (argc == 4 && strcmp(argv[1], "solver") == 0)
        solver(argv[2], argv[3]);
    else if (argc == 5 && strcmp(argv[1], "damaged") == 0)
        damaged(argv[2], argv[3], argv[4]);
    else if (argc == 6 && strcmp(argv[1], "errors") == 0)
        errors(argv[2], argv[3], argv[4], argv[5]);
    else {
        fprintf(stderr, "usage: the comment in probe.c says it\n");
        return 2;
    }
    return 0;
}
