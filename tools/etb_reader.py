#!/usr/bin/env python3
"""Reads table files without the program; the package etb beside this file says how.

    python3 tools/etb_reader.py info seeds.etb
    python3 tools/etb_reader.py dump seeds.etb --records 0..10
    python3 tools/etb_reader.py probe seeds.etb 0100000808001830:12d27d06b02589e4
    python3 tools/etb_reader.py probe 2x3.etb 0000000000100021
    python3 tools/etb_reader.py verify complete/collapsi-05.etd
"""

from etb.cli import main

if __name__ == "__main__":
    main()
