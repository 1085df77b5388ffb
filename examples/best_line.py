"""Prints the line of best play from a position to the end of the game, a move a line.

    best_line.py TABLE POSITION [NAME=VALUE | NAME]...

TABLE is a file or a folder of tables of any game, options are as in rules=wild. Where chance moves next,
there is no one line any more: it says so and ends.

    pip install ./python
"""

import sys

import endtable


def print_line(tables: endtable.Tables, text: str) -> None:
    """Follows the best moves."""
    position = tables.position(text)
    while position.turn != "chance":
        answer = tables.probe(position)
        if answer is None:
            raise endtable.NotFoundError("the position is not in the tables")
        if not answer.best:
            print("the end:", position.over or "no move to make", file=sys.stderr)
            return
        print(answer.best[0])
        position = position.play(answer.best[0])
    print("chance moves next", file=sys.stderr)


def main() -> int:
    if len(sys.argv) < 3:
        print("usage: best_line.py TABLE POSITION [NAME=VALUE | NAME]...", file=sys.stderr)
        return 2
    options = [option.partition("=") for option in sys.argv[3:]]
    given: dict[str, str | bool] = {name: value if is_set else True for name, is_set, value in options}
    try:
        with endtable.open(sys.argv[1], **given) as tables:
            print_line(tables, sys.argv[2])
    except endtable.Error as error:
        print(f"best_line.py: {error}", file=sys.stderr)
        statuses = {endtable.NotFoundError: 1, endtable.InputError: 2}
        return statuses.get(type(error), 3)
    return 0


if __name__ == "__main__":
    sys.exit(main())
