/*
 * endtable.h - probe endtable's tables of Collapsi positions from C.
 *
 * A first program:
 *
 *     const char *paths[] = { "seeds.etb" };
 *     endtable_t *table;
 *     endtable_answer_t answer;
 *     if (endtable_open(paths, 1, &table) != ENDTABLE_OK) {
 *         fprintf(stderr, "%s\n", endtable_last_error());
 *         return 1;
 *     }
 *     if (endtable_probe_key(table, hi, lo, &answer) == ENDTABLE_OK)
 *         printf("%s in %d plies\n", answer.win ? "win" : "loss", answer.plies);
 *     endtable_close(table);
 *
 * Link with the shared library (-lendtable), or with libendtable.a and what the Rust standard
 * library needs (on Linux -pthread -ldl -lm).
 *
 * Threads. Any number of threads may probe one open table at the same time, without locks of
 * their own; opening and closing other tables meanwhile is fine. Only endtable_close must wait
 * until nobody uses that table any more. Messages of errors belong to the thread they happened in.
 *
 * Errors. Every function that can fail returns a status (enum endtable_status) and keeps a message
 * for endtable_last_error. Null pointers are errors, not crashes. A file that is damaged gives
 * ENDTABLE_IO, never a wrong answer. Nothing is printed, and the process is never ended.
 *
 * Files are mapped into memory. As with every mapped file, do not cut one short or write into it
 * while it is open; replacing it by renaming another one over it is fine.
 */
#ifndef ENDTABLE_H
#define ENDTABLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What functions return. The numbers are those of the program's exit codes. */
enum endtable_status {
    /* Done. */
    ENDTABLE_OK = 0,
    /* The position is in none of the tables. */
    ENDTABLE_NOT_FOUND = 1,
    /* The arguments make no sense: a null pointer, a key or boards that are no position, tables
     * that do not belong together. */
    ENDTABLE_BAD_INPUT = 2,
    /* A file cannot be read, is no finished table, or is damaged; or a fault in the library. */
    ENDTABLE_IO = 3
};

/* Stands for a cell in an answer where there is no move. */
#define ENDTABLE_NO_CELL 0xff

/* Open tables, searched as one. */
typedef struct endtable endtable_t;

/*
 * What a table says of a position: eight bytes, without hidden padding.
 *
 * Cells are numbered row by row from the top left, 0 to 15. Of equally good moves a table has one.
 * Unless status is ENDTABLE_OK, only status means anything; from and to are ENDTABLE_NO_CELL then,
 * and the others 0.
 */
typedef struct endtable_answer {
    /* A status, as in enum endtable_status. */
    uint8_t status;
    /* 1 if the side to move wins, 0 if it loses. */
    uint8_t win;
    /* The side to move: 0 for X, 1 for O. */
    uint8_t turn;
    /* Where the best move starts; ENDTABLE_NO_CELL if the game is over. */
    uint8_t from;
    /* Where it ends; ENDTABLE_NO_CELL if the game is over. */
    uint8_t to;
    /* Moves of one player until the game ends, when the winner hurries and the loser holds out. */
    uint8_t plies;
    /* Zero. */
    uint8_t padding[2];
} endtable_answer_t;

/*
 * Opens count tables, to be searched as one. A path is a file, or a folder that stands for all
 * *.etb in it. Header, index and footer of every file are checked now, its blocks when they are
 * read.
 *
 * *out is the open table, or NULL if the status is not ENDTABLE_OK. ENDTABLE_IO if there is no
 * such file or it is no sound table; ENDTABLE_BAD_INPUT if the tables do not belong together.
 */
int endtable_open(const char *const *paths, size_t count, endtable_t **out);

/*
 * Probes a position. The boards are the cells of the aces, twos, threes, fours, of X, of O, and
 * the collapsed ones; the cell in row r and column c is bit 4r+c. A joker's cell is in none of the
 * four card boards. turn is 0 for X, 1 for O.
 *
 * Any position will do: if the table holds canonical forms, the question is mapped there and the
 * move mapped back.
 */
int endtable_probe(const endtable_t *table, const uint16_t boards[7], uint16_t turn,
                   endtable_answer_t *out);

/* Probes the position with a 128-bit key, HI:LO as the program prints it. */
int endtable_probe_key(const endtable_t *table, uint64_t hi, uint64_t lo, endtable_answer_t *out);

/*
 * Looks up a 64-bit folded key in a table of folded keys, as it stands there; ENDTABLE_BAD_INPUT
 * for other tables. If the table holds canonical forms, the key must be that of a canonical
 * position, and turn and move are as in that position.
 */
int endtable_probe_folded(const endtable_t *table, uint64_t key, endtable_answer_t *out);

/*
 * Probes count positions. keys are 2 * count numbers, hi and lo of each key in turn; answers has
 * room for count answers and receives them in the order of the keys, each with a status of its
 * own. The keys need no order: they are sorted inside, so that each part of the file is read once.
 *
 * Returns the largest status of the answers: ENDTABLE_OK if all positions were found. When the
 * table or an array is a null pointer, ENDTABLE_BAD_INPUT, and no answer is written.
 */
int endtable_probe_batch(const endtable_t *table, const uint64_t *keys, size_t count,
                         endtable_answer_t *answers);

/* How many records the tables have, all together; 0 for NULL. */
uint64_t endtable_records(const endtable_t *table);

/* How far a pawn goes from its joker in these tables: 0 for `one`, 1 for `wild`; -1 for NULL. */
int endtable_rules(const endtable_t *table);

/* Closes tables. NULL is fine. The pointer must not be used afterwards. */
void endtable_close(endtable_t *table);

/*
 * What the last call in this thread that did not return ENDTABLE_OK had to say, in UTF-8; an
 * empty string if there was none. Valid until the next such call in this thread. Never NULL.
 */
const char *endtable_last_error(void);

/* The library's version, as in "0.1.0". Never NULL. */
const char *endtable_version(void);

#ifdef __cplusplus
}
#endif

#endif /* ENDTABLE_H */
