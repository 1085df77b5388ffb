/*
 * Probes a table through the C interface, in every way it offers.
 *
 *     probe TABLE DAMAGED FOREIGN < KEYS
 *
 * KEYS are lines HI:LO, or folded keys of 16 digits. For each one, prints the line that
 * `endtable probe` prints, and the plies behind it: `HI:LO <turn><win><best move> <plies>`, or
 * `HI:LO not found`. Meanwhile checks that probing in a batch, by boards and from several threads
 * at once gives the same answers, and that errors are errors. DAMAGED is the same table with a
 * damaged first block, FOREIGN some other file.
 *
 * Exits with 0 if everything holds; otherwise says what does not and exits with 1.
 */
#include "endtable.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4

#define CHECK(what)                                                                       \
    do {                                                                                  \
        if (!(what)) {                                                                    \
            fprintf(stderr, "line %d: %s does not hold; last error: %s\n", __LINE__, #what, \
                    endtable_last_error());                                               \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

/* The keys, hi and lo of each in turn, and the answers to them one by one. */
struct questions {
    const endtable_t *table;
    int folded;
    size_t count;
    uint64_t *keys;
    endtable_answer_t *answers;
};

static endtable_t *open_table(const char *path)
{
    endtable_t *table = NULL;
    CHECK(endtable_open(&path, 1, &table) == ENDTABLE_OK);
    CHECK(table != NULL);
    return table;
}

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    CHECK(memory != NULL);
    return memory;
}

static struct questions read_questions(void)
{
    struct questions all = { NULL, 0, 0, NULL, NULL };
    size_t space = 0;
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        uint64_t hi = 0, lo = 0;
        int fields = sscanf(line, "%16" SCNx64 ":%16" SCNx64, &hi, &lo);
        CHECK(fields == 1 || fields == 2);
        all.folded = fields == 1;
        if (all.count == space) {
            space = space ? 2 * space : 1024;
            all.keys = realloc(all.keys, 2 * space * sizeof *all.keys);
            CHECK(all.keys != NULL);
        }
        all.keys[2 * all.count] = hi;
        all.keys[2 * all.count + 1] = lo;
        all.count++;
    }
    CHECK(all.count > 0);
    all.answers = room(all.count, sizeof *all.answers);
    return all;
}

static int ask(const struct questions *all, size_t number, endtable_answer_t *answer)
{
    uint64_t hi = all->keys[2 * number], lo = all->keys[2 * number + 1];
    return all->folded ? endtable_probe_folded(all->table, hi, answer)
                       : endtable_probe_key(all->table, hi, lo, answer);
}

static void print(const struct questions *all, size_t number)
{
    const endtable_answer_t *answer = &all->answers[number];
    printf("%016" PRIx64, all->keys[2 * number]);
    if (!all->folded)
        printf(":%016" PRIx64, all->keys[2 * number + 1]);
    if (answer->status == ENDTABLE_NOT_FOUND)
        printf(" not found\n");
    else
        printf(" %d%d%x%x %d\n", answer->turn, answer->win, answer->from & 15, answer->to & 15,
               answer->plies);
}

static void probe_one_by_one(struct questions *all)
{
    size_t i;
    for (i = 0; i < all->count; i++) {
        endtable_answer_t *answer = &all->answers[i];
        int status = ask(all, i, answer);
        CHECK(status == ENDTABLE_OK || status == ENDTABLE_NOT_FOUND);
        CHECK(answer->status == status);
        CHECK((answer->from == ENDTABLE_NO_CELL) == (answer->to == ENDTABLE_NO_CELL));
        CHECK(answer->padding[0] == 0 && answer->padding[1] == 0);
        print(all, i);
    }
}

static void probe_batch(const struct questions *all)
{
    endtable_answer_t *answers = room(all->count, sizeof *answers);
    int worst = ENDTABLE_OK;
    size_t i;
    for (i = 0; i < all->count; i++)
        if (all->answers[i].status > worst)
            worst = all->answers[i].status;
    CHECK(endtable_probe_batch(all->table, all->keys, all->count, answers) == worst);
    CHECK(memcmp(answers, all->answers, all->count * sizeof *answers) == 0);
    CHECK(endtable_probe_batch(all->table, NULL, 0, NULL) == ENDTABLE_OK);
    free(answers);
}

/* Each thread goes through the keys in an order of its own. */
struct work {
    const struct questions *all;
    size_t step;
    size_t wrong;
};

static void *probe_in_thread(void *argument)
{
    struct work *work = argument;
    const struct questions *all = work->all;
    size_t i, round;
    for (round = 0; round < 3; round++) {
        for (i = 0; i < all->count; i++) {
            size_t number = (i * work->step + round) % all->count;
            endtable_answer_t answer;
            int status = ask(all, number, &answer);
            if (status != answer.status ||
                memcmp(&answer, &all->answers[number], sizeof answer) != 0)
                work->wrong++;
        }
    }
    /* Messages are each thread's own: this one has only the thread's own failure. */
    if (endtable_probe_key(NULL, 0, 0, NULL) != ENDTABLE_BAD_INPUT ||
        strcmp(endtable_last_error(), "out is a null pointer") != 0)
        work->wrong++;
    return NULL;
}

static void probe_from_threads(const struct questions *all)
{
    static const size_t steps[THREADS] = { 1, 7, 31, 127 };
    struct work work[THREADS];
    pthread_t threads[THREADS];
    int i;
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

static void check_files(const char *foreign)
{
    static const char *const missing[] = { "no-such-folder/no-such-table.etb" };
    endtable_t *table = (endtable_t *)&table;
    CHECK(endtable_open(missing, 1, &table) == ENDTABLE_IO);
    CHECK(table == NULL);
    CHECK(strstr(endtable_last_error(), "no-such-table.etb") != NULL);
    CHECK(endtable_open(&foreign, 1, &table) == ENDTABLE_IO);
    CHECK(table == NULL);
    CHECK(strstr(endtable_last_error(), "not an endtable file") != NULL);
    CHECK(endtable_open(NULL, 1, &table) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_open(missing, 0, &table) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_open(missing, 1, NULL) == ENDTABLE_BAD_INPUT);
    endtable_close(NULL);
}

/* The deal of seed 1 is in the table; the same without its pawns is no position. */
static void check_boards(const endtable_t *table)
{
    uint16_t boards[7] = { 0x5201, 0x2818, 0x0126, 0x0440, 0x0080, 0x8000, 0x0000 };
    const uint64_t hi = 0x0100000808001830u, lo = 0x12d27d06b02589e4u;
    endtable_answer_t answer, by_key;
    CHECK(endtable_probe(table, boards, 0, &answer) == ENDTABLE_OK);
    CHECK(answer.win == 1 && answer.turn == 0 && answer.plies == 13);
    CHECK(endtable_probe_key(table, hi, lo, &by_key) == ENDTABLE_OK);
    CHECK(memcmp(&answer, &by_key, sizeof answer) == 0);

    CHECK(endtable_probe(table, boards, 2, &answer) == ENDTABLE_BAD_INPUT);
    CHECK(strstr(endtable_last_error(), "turn") != NULL);
    boards[4] = boards[5] = 0;
    CHECK(endtable_probe(table, boards, 0, &answer) == ENDTABLE_BAD_INPUT);
    CHECK(answer.status == ENDTABLE_BAD_INPUT && answer.from == ENDTABLE_NO_CELL);
    CHECK(strcmp(endtable_last_error(), "0 pawns x, expected exactly one") == 0);
    CHECK(endtable_probe(table, NULL, 0, &answer) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_probe_key(table, 0, 0, &answer) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_probe_key(table, hi, lo, NULL) == ENDTABLE_BAD_INPUT);
}

/* In a batch each key has its own status, and the worst is returned. */
static void check_mixed_batch(const endtable_t *table)
{
    const uint64_t keys[] = { 0, 0, 0x0100000808001830u, 0x12d27d06b02589e4u };
    endtable_answer_t answers[2];
    CHECK(endtable_probe_batch(table, keys, 2, answers) == ENDTABLE_BAD_INPUT);
    CHECK(answers[0].status == ENDTABLE_BAD_INPUT);
    CHECK(answers[1].status == ENDTABLE_OK && answers[1].plies == 13);
    CHECK(endtable_probe_batch(table, NULL, 2, answers) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_probe_batch(table, keys, 2, NULL) == ENDTABLE_BAD_INPUT);
    CHECK(endtable_probe_batch(NULL, keys, 2, answers) == ENDTABLE_BAD_INPUT);
}

/* Every answer from a damaged file is the right one or an error, and there are some of each. */
static void check_damaged(const struct questions *all, const char *path)
{
    endtable_t *table = open_table(path);
    struct questions same = *all;
    endtable_answer_t *answers = room(all->count, sizeof *answers);
    size_t i, damaged = 0, right = 0;
    same.table = table;
    for (i = 0; i < all->count; i++) {
        int status = ask(&same, i, &answers[i]);
        CHECK(status == answers[i].status);
        if (status == ENDTABLE_IO) {
            CHECK(strstr(endtable_last_error(), "damaged") != NULL);
            damaged++;
        } else {
            CHECK(memcmp(&answers[i], &all->answers[i], sizeof *answers) == 0);
            right++;
        }
    }
    CHECK(damaged > 0 && right > 0);
    if (!all->folded) {
        endtable_answer_t *batch = room(all->count, sizeof *batch);
        CHECK(endtable_probe_batch(table, all->keys, all->count, batch) == ENDTABLE_IO);
        CHECK(strstr(endtable_last_error(), "damaged") != NULL);
        CHECK(memcmp(batch, answers, all->count * sizeof *batch) == 0);
        free(batch);
    }
    free(answers);
    endtable_close(table);
}

int main(int argc, char **argv)
{
    struct questions all;
    endtable_t *table;
    endtable_answer_t answer;
    int status;
    if (argc != 4) {
        fprintf(stderr, "usage: probe TABLE DAMAGED FOREIGN < KEYS\n");
        return 2;
    }
    CHECK(sizeof(endtable_answer_t) == 8);
    CHECK(strlen(endtable_version()) > 0);
    CHECK(strcmp(endtable_last_error(), "") == 0);
    all = read_questions();
    table = open_table(argv[1]);
    all.table = table;
    CHECK(endtable_rules(table) == 0 && endtable_rules(NULL) == -1);
    CHECK(endtable_records(table) > 0 && endtable_records(NULL) == 0);
    probe_one_by_one(&all);
    probe_from_threads(&all);
    /* No key is 0; and a table may have no folded keys. */
    status = endtable_probe_folded(table, 0, &answer);
    CHECK(status == ENDTABLE_NOT_FOUND || (status == ENDTABLE_BAD_INPUT && !all.folded));
    CHECK(answer.status == status);
    if (!all.folded)
        probe_batch(&all);
    check_files(argv[3]);
    check_boards(table);
    check_mixed_batch(table);
    check_damaged(&all, argv[2]);
    endtable_close(table);
    free(all.keys);
    free(all.answers);
    return 0;
}
