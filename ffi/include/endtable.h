/*
 * endtable.h - answers from endtable's tables, and by search, for programs in C.
 *
 * One handle answers for one game: opened tables (endtable_open), or a solver (endtable_open_solver).
 * Positions, moves and options are texts in the game's own notation, as `endtable solve GAME --help`
 * describes it. A first program:
 *
 *     const char *paths[] = { "seeds.etb" };
 *     endtable_t *tables;
 *     endtable_answer_t answer;
 *     if (endtable_open(paths, 1, NULL, &tables) != ENDTABLE_OK) {
 *         fprintf(stderr, "%s\n", endtable_last_error());
 *         return 1;
 *     }
 *     answer.size = sizeof answer;
 *     if (endtable_probe(tables, "A332/234Jx/3A42/A2AJo x", &answer) == ENDTABLE_OK
 *         && answer.result == ENDTABLE_WIN)
 *         printf("%s wins in %d plies with %s\n", answer.turn, (int)answer.plies, answer.best);
 *     endtable_close(tables);
 *
 * Compile and link with what `pkg-config --cflags --libs endtable` says. To link libendtable.a, name it
 * and add what `pkg-config --static --libs endtable` says of other libraries. Below a prefix of your own
 * the shared library is found by LD_LIBRARY_PATH or an rpath.
 *
 * TEXTS are UTF-8 and end with a NUL. A text that is handed over is not kept: it may be freed when the
 * function returns. Blanks around it do not count.
 *
 * POSITIONS have any form that their game reads: its notation, a key, boards in hex. The word `moves`
 * and moves may stand behind it, all parted by blanks, to mean the position after them, as in
 * "A332/234Jx/3A42/A2AJo x moves 73 fb". Moves of chance, where a game has some, are moves as well. To
 * follow a game, append its moves: the notation of a position may say less than the moves do, such as
 * which card lay on a cell before, or that it is chance's turn.
 *
 * OPTIONS are a text, too: NAME=VALUE, or NAME alone for a switch, several parted by semicolons, as in
 * "rules=wild; fold64". Blanks around a name or a value do not count. NULL and "" are no options. The
 * names are those of the program's options without the dashes; a path with a semicolon cannot be given.
 *
 * STRUCTS THAT GROW begin with their size. Set it to sizeof before the call. No more bytes than that
 * are written, so that a program works with later libraries, which know more members. Members that an
 * earlier library does not know yet are set to zero, which will mean that nothing is known. In an
 * array only the first one's size is read: all others have the same, and get it written. A size below
 * 16 or above 65536 is taken for one that was forgotten, and refused.
 *
 * ERRORS. Functions that can fail return a status (enum endtable_status) and keep a sentence for
 * endtable_last_error. Null pointers are refused where nothing else is said. A damaged file gives
 * ENDTABLE_IO, never a wrong answer. The library does not end the process unless memory runs out, and
 * prints nothing but, on stderr, where a fault of its own is.
 *
 * THREADS. All functions may be called by any number of threads at the same time, with the same handle
 * as well. Only endtable_close must wait until nobody uses its handle. Messages of errors belong to the
 * thread they happened in.
 *
 * FILES are mapped into memory. As with every mapped file, do not cut one short or write into it while
 * it is open; replacing it by renaming another one over it is fine.
 */
#ifndef ENDTABLE_H
#define ENDTABLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface: programs work with every library that has the same one. It is the
 * number in libendtable.so.0, and what endtable_abi returns. */
#define ENDTABLE_ABI 0

/* Room for a move, for the side to move, for a key, for a position, and for how a game ended, the NUL
 * included. */
#define ENDTABLE_MOVE_SIZE 32
#define ENDTABLE_TURN_SIZE 16
#define ENDTABLE_KEY_SIZE 64
#define ENDTABLE_POSITION_SIZE 512
#define ENDTABLE_OVER_SIZE 64

/* What functions return. 0 to 3 are the program's exit codes. */
enum endtable_status {
    /* Done; of a position: it was found, or solved. */
    ENDTABLE_OK = 0,
    /* The position is in none of the tables. */
    ENDTABLE_ABSENT = 1,
    /* What was handed over makes no sense: a null pointer, a text that is no position, no move or no
     * option, a size that was not set, tables that do not belong together. */
    ENDTABLE_BAD_INPUT = 2,
    /* A file cannot be read, is no finished table, is damaged, or is of a game or of a version that
     * this library does not know. */
    ENDTABLE_IO = 3,
    /* A fault in the library. Please report it, with the message. */
    ENDTABLE_INTERNAL = 4
};

/* How a game ends with best play, as seen by the side to move, or by the one who makes a move. */
enum endtable_result {
    /* There is no such thing: the game has values instead, or there is no answer. */
    ENDTABLE_NO_RESULT = 0,
    ENDTABLE_WIN = 1,
    ENDTABLE_DRAW = 2,
    ENDTABLE_LOSS = 3,
    /* Nothing is known: a bounded search did not decide it, or the tables do not have the position
     * after a move. */
    ENDTABLE_UNKNOWN = 4
};

/* What a value counts. */
enum endtable_unit {
    /* There is no value. */
    ENDTABLE_NO_UNIT = 0,
    /* Points still to come, on average. */
    ENDTABLE_SCORE = 1,
    /* The chance of success, from 0 to 1. */
    ENDTABLE_CHANCE = 2,
    /* What a heuristic makes of it: to be compared with its like, and with nothing else. */
    ENDTABLE_ESTIMATE = 3
};

/* Opened tables, searched as one, or a solver. */
typedef struct endtable endtable_t;

/*
 * What is known of a position. Unless status is ENDTABLE_OK, the other members say nothing: result and
 * unit are 0, plies and searched -1, value is NaN, best_count 0, and the texts are empty.
 */
typedef struct endtable_answer {
    /* sizeof(endtable_answer_t), set by the caller. */
    size_t size;
    /* How it went: a number of enum endtable_status. */
    int32_t status;
    /* A number of enum endtable_result. */
    int32_t result;
    /* What play brings on average, in games with values; NaN in others. */
    double value;
    /* What value counts: a number of enum endtable_unit. */
    int32_t unit;
    /* Moves of one player until the game ends, when the winner hurries and the loser holds out; -1 if
     * that is not known, or the game has no such thing. */
    int32_t plies;
    /* With ENDTABLE_UNKNOWN, how many plies were searched; otherwise -1. */
    int32_t searched;
    /* How many equally good moves are known, at least 1 where there is a move to make. All of them are
     * known to endtable_probe_moves, unless the tables do not have the positions after all moves. */
    uint32_t best_count;
    /* The first of them, in the game's order; empty if there is no move to make. */
    char best[ENDTABLE_MOVE_SIZE];
    /* The side to move, as the game calls it; empty in games for one player, or if the position is
     * given by a key that does not tell. */
    char turn[ENDTABLE_TURN_SIZE];
    /* The position's key. */
    char key[ENDTABLE_KEY_SIZE];
} endtable_answer_t;

/* What is known of a move. The members are as in endtable_answer_t, seen by the one who makes it. */
typedef struct endtable_move {
    /* sizeof(endtable_move_t), set by the caller. */
    size_t size;
    double value;
    int32_t result;
    int32_t unit;
    int32_t plies;
    int32_t searched;
    /* 1 if it is one of the best moves, 0 if it is not, or nobody knows. */
    int32_t is_best;
    /* Zero. */
    int32_t reserved;
    /* The move, in the game's notation. */
    char name[ENDTABLE_MOVE_SIZE];
} endtable_move_t;

/* A position in the game's own words. */
typedef struct endtable_position {
    /* sizeof(endtable_position_t), set by the caller. */
    size_t size;
    /* How many legal moves there are. */
    uint32_t move_count;
    /* Zero. */
    uint32_t reserved;
    /* As in endtable_answer_t; "chance" if the next move is one of chance. */
    char turn[ENDTABLE_TURN_SIZE];
    char key[ENDTABLE_KEY_SIZE];
    /* How the game ended, in its own notation; empty if it goes on. */
    char over[ENDTABLE_OVER_SIZE];
    /* The position in the game's notation. */
    char text[ENDTABLE_POSITION_SIZE];
} endtable_position_t;

/* What a handle answers from. The texts belong to the handle, and stay until it is closed. */
typedef struct endtable_info {
    /* sizeof(endtable_info_t), set by the caller. */
    size_t size;
    /* How many files the tables are, 0 for a solver. */
    uint64_t files;
    /* How many records they have together, 0 for a solver. */
    uint64_t records;
    /* The name of the game. */
    const char *game;
    /* The rules that the tables answer for, in the game's words; empty for a solver. */
    const char *rules;
} endtable_info_t;

/*
 * Opens count tables, to be searched as one. A path is a file, or a folder that stands for the tables
 * in it; the game is the tables'. Header, index and footer of every file are checked now, its blocks
 * when they are read. Options are those of the game's positions, and of probing.
 *
 * *out is the handle, or NULL if the status is not ENDTABLE_OK. ENDTABLE_IO if there is no such file or
 * it is no sound table; ENDTABLE_BAD_INPUT if the tables do not belong together, or the options are not
 * the game's.
 */
int endtable_open(const char *const *paths, size_t count, const char *options, endtable_t **out);

/*
 * Makes a solver of a game: positions are searched, each in the thread that asks. Threads that ask at
 * the same time search side by side, each with memory of its own, which stays for the next ones.
 * Options are those of the game's positions, and of solving.
 *
 * *out is the handle, or NULL if the status is not ENDTABLE_OK. ENDTABLE_BAD_INPUT if there is no such
 * game, or the options are not the game's.
 */
int endtable_open_solver(const char *game, const char *options, endtable_t **out);

/* Closes a handle. NULL is fine. Neither the handle nor texts of its own may be used afterwards. */
void endtable_close(endtable_t *handle);

/* Says what a handle answers from. ENDTABLE_BAD_INPUT at most. */
int endtable_info(const endtable_t *handle, endtable_info_t *info);

/*
 * What the answers of tables look like together, as a text to be read, of several lines. *text belongs
 * to the handle and stays until it is closed; it is NULL if the status is not ENDTABLE_OK. The first
 * call reads all records, on all cores, which may take a while; later ones take no time.
 *
 * ENDTABLE_IO if a table is damaged; ENDTABLE_BAD_INPUT for a solver, which has no records.
 */
int endtable_statistics(const endtable_t *handle, const char **text);

/*
 * Answers a position. *answer is written whatever the status, unless it is NULL or its size is wrong.
 *
 * ENDTABLE_ABSENT if the tables do not have it; ENDTABLE_BAD_INPUT if it is no position of the game;
 * ENDTABLE_IO if a table is damaged where the answer would be.
 */
int endtable_probe(const endtable_t *handle, const char *position, endtable_answer_t *answer);

/*
 * The same with every legal move, in the game's order. moves has room for capacity moves, and gets as
 * many as there are and fit; *count is how many there are. If it is more than capacity, the rest was
 * left out. With a capacity of 0, moves may be NULL: a first call finds out how much room is needed.
 *
 * The status is that of endtable_probe; *count is 0 unless it is ENDTABLE_OK. There are no moves when
 * the game is over, nor where a position is given by a key that does not tell it, nor from a solver
 * that was told not to look for them.
 */
int endtable_probe_moves(const endtable_t *handle, const char *position, endtable_answer_t *answer,
                         endtable_move_t *moves, size_t capacity, size_t *count);

/*
 * Answers count positions, each with a status of its own: a bad one does not spoil the others. answers
 * has room for count answers and gets them in the order of the positions. Tables are asked by all
 * processors, in an order that suits them; the more positions at once, the better.
 *
 * Returns the largest status of the answers, 0 if all positions were found; endtable_last_error tells
 * of the first position that has it, by its number from 0. ENDTABLE_BAD_INPUT, and no answer is written,
 * if handle, positions or answers is NULL, or the first answer's size is wrong. With a count of 0 only
 * handle is looked at.
 */
int endtable_probe_batch(const endtable_t *handle, const char *const *positions, size_t count,
                         endtable_answer_t *answers);

/*
 * Reads a position, with the moves that may stand behind it, and says it in the game's own words.
 * *out is written only if the status is ENDTABLE_OK; ENDTABLE_BAD_INPUT if it is no position of the
 * game, or a move is not legal. The position need not be in the tables.
 */
int endtable_position(const endtable_t *handle, const char *position, endtable_position_t *out);

/* The name of a game, counted from 0; NULL behind the last one. */
const char *endtable_game(size_t number);

/*
 * What the last call in this thread that did not return ENDTABLE_OK had to say, a sentence in English;
 * an empty text if there was none. It stays until the next such call in this thread. Never NULL.
 */
const char *endtable_last_error(void);

/* The library's version, as in "0.2.0". Never NULL. */
const char *endtable_version(void);

/* The library's ENDTABLE_ABI. */
int endtable_abi(void);

#ifdef __cplusplus
}
#endif

#endif /* ENDTABLE_H */
