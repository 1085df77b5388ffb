"""What crosscheck.py, crosscheck_2048.py and check_reader.py are made of.

program    runs the program
answers    reads what it prints
report     collects differences
positions  Collapsi positions to ask for
records, probes_collapsi, probes_2048, probes_dense, damage
           the parts of check_reader.py
"""
