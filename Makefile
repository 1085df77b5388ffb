# make         build the program and run the main job with its defaults
# make test    everything that must hold
# make bench   the benchmarks
# make clean   remove what was built
#
# Needed: a Rust toolchain, a C compiler, make, Python 3.11. Only `make test` uses Python packages: it
# fetches those of tools/requirements.txt into a virtual environment of its own.

CARGO ?= cargo
PYTHON ?= python3
TARGET := $(or $(CARGO_TARGET_DIR),target)
ENDTABLE := $(TARGET)/release/endtable
VENV := $(TARGET)/venv

.PHONY: all build main deals tables picture test lint rust-tests python-tests crosscheck reader lint-tools bench clean

all: main

build:
	$(CARGO) build --release --locked

# The main job: its parts, in order.
main: deals tables picture

deals: build
	@echo
	@echo "Ten Collapsi deals, solved. Each line: the position's key, whose turn it is"
	@echo "(0 x, 1 o), whether that side wins (1) or loses (0), and its best move, from"
	@echo "and to, cells numbered 0 to f:"
	@echo "  seq 0 9 | endtable solve --stdin"
	@seq 0 9 | $(ENDTABLE) solve --stdin

tables: deals
	@echo
	@echo "Every position of ten deals, solved and written to a table:"
	@echo "  endtable generate collapsi --seeds 0..10 --out out/seeds.etb"
	@mkdir -p out
	@$(ENDTABLE) generate collapsi --seeds 0..10 --out out/seeds.etb --force
	@echo
	@echo "One of them looked up, with what each of its moves is worth:"
	@echo "  endtable probe out/seeds.etb --seed 1 --moves"
	@$(ENDTABLE) probe out/seeds.etb --seed 1 --moves

picture: tables
	@echo
	@echo "The same deal as a picture, the best move between angle brackets:"
	@echo "  endtable solve --seed 1 --picture"
	@$(ENDTABLE) solve --seed 1 --picture
	@echo
	@echo "The program is $(ENDTABLE); README.md shows what else it does."

test: lint rust-tests python-tests crosscheck reader

lint: lint-tools
	$(CARGO) fmt --check
	$(CARGO) clippy --all-targets --locked -- -D warnings

# A toolchain installed with the minimal profile lacks these two.
lint-tools:
	@{ $(CARGO) fmt --version && $(CARGO) clippy --version; } >/dev/null 2>&1 \
		|| rustup component add rustfmt clippy

rust-tests:
	$(CARGO) test --locked

python-tests:
	$(PYTHON) -m unittest discover -s tools -p 'test_*.py'

crosscheck: build
	$(PYTHON) tools/crosscheck.py $(ENDTABLE)

reader: build $(VENV)/made
	$(VENV)/bin/python tools/check_reader.py $(ENDTABLE)

# Made once: the file is there only when the packages are, too.
$(VENV)/made: tools/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

# The other stores are a crate of their own, so that tests need not build them.
bench:
	$(CARGO) bench --locked
	$(CARGO) run --release --locked --manifest-path benches/peers/Cargo.toml --target-dir $(TARGET)

clean:
	$(CARGO) clean
