"""A reader of endtable's table files that follows docs/FORMAT.md and nothing else.

It shares no code with the program, nor with the solvers beside it: what the
program and this reader find in a file is what the specification says. It is
plain rather than fast. What reads files needs the packages of
tools/requirements.txt; positions and their codes need none.

    frame     the header with its text, the footer
    record    what a record says: the answer, the value column
    blocks    plain and compressed blocks; packed: packed ones
    table     a table of any kind, opened
    keyed     tables with a code for each position; dense: those without
    collapsi  positions, codecs and numbering of Collapsi
    twenty48  boards and codec of 2048
    games     which of them a table is about
    cli       the command line, which tools/etb_reader.py starts
"""
