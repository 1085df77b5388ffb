# make         build the program and run the main job with its defaults
# make test    everything that must hold
# make bench   the benchmarks
# make schemathesis  the JSON interface asked whatever its description allows, and what it does not
# make strength  how well 4x4 2048 is played, by search and with tables of endgames, 200 games each,
#              beside published results: some hours of one core; stopped, it is resumed
# make install  program, C library, manual and completions into PREFIX, /usr/local by default;
#              with DESTDIR, below that folder. make uninstall removes them
# make clean   remove what was built
#
# Needed: a Rust toolchain, a C compiler, make, Python 3.11. Only `make test` uses Python packages: it
# fetches those of tools/, tools/cluster/, python/ and tests/browser/requirements.txt into virtual
# environments; and a browser, Chromium, which it installs where it may.

CARGO ?= cargo
PYTHON ?= python3
TARGET := $(or $(CARGO_TARGET_DIR),target)
ENDTABLE := $(TARGET)/release/endtable
VENV := $(TARGET)/venv
VENV_PACKAGE := $(TARGET)/venv-python
VENV_BROWSER := $(TARGET)/venv-browser
VENV_SCHEMATHESIS := $(TARGET)/venv-schemathesis
VENV_CLUSTER := $(TARGET)/venv-cluster
SCREENSHOTS := $(TARGET)/screenshots
# Second solvers that share no code with the first, one a rule.
CROSSCHECKS := crosscheck-collapsi crosscheck-2048 crosscheck-patterns crosscheck-tak crosscheck-tak-tables

# Where `make install` puts things, and where it takes the C libraries from.
PREFIX ?= /usr/local
DESTDIR ?=
LIBRARIES ?= $(TARGET)/release
ROOT := $(DESTDIR)$(PREFIX)
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
ABI := $(shell sed -n 's/^.define ENDTABLE_ABI //p' ffi/include/endtable.h)
ifeq ($(shell uname),Darwin)
SHARED := dylib
SONAME := libendtable.$(ABI).dylib
else
SHARED := so
SONAME := libendtable.so.$(ABI)
endif

.PHONY: all build main deals tables complete picture twenty48 ship install install-files uninstall test lint rust-tests python-tests python-package python-install crosscheck $(CROSSCHECKS) reader api browser cluster-tests schemathesis lint-tools bench strength clean

all: main

build:
	$(CARGO) build --release --locked

# The main job: its parts, in order. One deal of Collapsi goes through all of them.
main: deals tables complete picture twenty48 ship

deals: build
	@echo
	@echo "Ten Collapsi deals, solved. Each line: the position's key, whose turn it is"
	@echo "(0 x, 1 o), whether that side wins (1) or loses (0), and its best move, from"
	@echo "and to, cells numbered 0 to f:"
	@echo "  seq 0 9 | endtable solve collapsi --stdin"
	@seq 0 9 | $(ENDTABLE) solve collapsi --stdin

tables: deals
	@echo
	@echo "Every position of these deals, written to a table:"
	@echo "  endtable generate collapsi --seeds 0..10 --out out/seeds.etb"
	@mkdir -p out
	@$(ENDTABLE) generate collapsi --seeds 0..10 --out out/seeds.etb --force
	@echo
	@echo "The second deal looked up in it, with what each of its moves is worth:"
	@echo "  endtable probe out/seeds.etb --seed 1 --moves"
	@$(ENDTABLE) probe out/seeds.etb --seed 1 --moves

# All of it takes 2.4 GB of memory and 0.9 GB of disk; a small machine makes the lower layers.
complete: tables
	@echo
	@memory=$$(awk '/^MemAvailable/ { print int($$2 / 1048576) }' /proc/meminfo 2>/dev/null); \
	disk=$$(df -Pk out | awk 'NR == 2 { print int($$4 / 1048576) }'); \
	cards=16; \
	if [ $${memory:-6} -ge 6 ] && [ $$disk -ge 3 ]; then \
		echo "The complete tables: every position of every deal, under both joker rules:"; \
	else \
		cards=10; \
		echo "The complete tables, up to 10 cards: all of it wants 6 GiB of memory and 3 GiB of disk,"; \
		echo "and $${memory:-?} and $$disk GiB are free. Positions with more cards are searched:"; \
	fi; \
	out=out/complete; [ $$cards = 16 ] || out=out/complete-$$cards; \
	echo "  endtable generate collapsi --complete --cards $$cards --out $$out"; \
	$(ENDTABLE) generate collapsi --complete --cards $$cards --out $$out && \
	echo && echo "The same deal looked up in them and drawn, the best move between angle brackets:" && \
	echo "  endtable probe $$out --seed 1 --picture" && \
	$(ENDTABLE) probe $$out --seed 1 --picture && \
	echo && echo "And best play from there to the end:" && \
	echo "  endtable line $$out --seed 1" && \
	$(ENDTABLE) line $$out --seed 1

picture: complete
	@echo
	@echo "All deals under both rules, counted, and drawn for an article:"
	@tables=out/complete; [ -d $$tables ] || tables=out/complete-10; \
	echo "  endtable stats $$tables --svg out/collapsi.svg" && \
	$(ENDTABLE) stats $$tables --svg out/collapsi.svg --force

twenty48: picture
	@echo
	@echo "2048 on a 3x3 board: every position, with the score that is still to come:"
	@echo "  endtable generate 2048 --board 3x3 --objective score --out out/3x3.etb"
	@[ -f out/3x3.etb ] || $(ENDTABLE) generate 2048 --board 3x3 --objective score --out out/3x3.etb
	@echo
	@echo "A thousand games played from it:"
	@echo "  endtable play 2048 --board 3x3 --tables out/3x3.etb --games 1000"
	@$(ENDTABLE) play 2048 --board 3x3 --tables out/3x3.etb --games 1000

ship: twenty48
	@echo
	@echo "What goes with the tables wherever they go, what each is and its checksum:"
	@for folder in out out/complete out/complete-10; do \
		[ -d $$folder ] || continue; \
		echo "  endtable manifest $$folder"; \
		$(ENDTABLE) manifest $$folder || exit; \
	done
	@echo
	@echo "Three things to try next, with $(ENDTABLE) as endtable:"
	@tables=out/complete; [ -d $$tables ] || tables=out/complete-10; \
	echo "  endtable play collapsi --tables $$tables    against perfect play"
	@echo "  endtable play 2048 --watch                      the full board, by search"
	@echo "  endtable solve collapsi --help                  and README.md has the rest"

install:
	$(CARGO) build --release --locked -p endtable -p endtable-ffi
	$(MAKE) install-files

# Installs what is built.
install-files:
	install -d "$(ROOT)/bin" "$(ROOT)/include" "$(ROOT)/lib/pkgconfig" "$(ROOT)/share/man/man1" \
		"$(ROOT)/share/bash-completion/completions" "$(ROOT)/share/zsh/site-functions" \
		"$(ROOT)/share/fish/vendor_completions.d"
	install -m 755 "$(ENDTABLE)" "$(ROOT)/bin/endtable"
	install -m 644 ffi/include/endtable.h "$(ROOT)/include/endtable.h"
	install -m 755 "$(LIBRARIES)/libendtable_c.$(SHARED)" "$(ROOT)/lib/$(SONAME)"
	ln -sf $(SONAME) "$(ROOT)/lib/libendtable.$(SHARED)"
	install -m 644 "$(LIBRARIES)/libendtable_c.a" "$(ROOT)/lib/libendtable.a"
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' ffi/endtable.pc.in \
		> "$(ROOT)/lib/pkgconfig/endtable.pc"
	"$(ENDTABLE)" man "$(ROOT)/share/man/man1"
	"$(ENDTABLE)" completions bash > "$(ROOT)/share/bash-completion/completions/endtable"
	"$(ENDTABLE)" completions zsh > "$(ROOT)/share/zsh/site-functions/_endtable"
	"$(ENDTABLE)" completions fish > "$(ROOT)/share/fish/vendor_completions.d/endtable.fish"

uninstall:
	rm -f "$(ROOT)/bin/endtable" "$(ROOT)/include/endtable.h" \
		"$(ROOT)/lib/$(SONAME)" "$(ROOT)/lib/libendtable.$(SHARED)" "$(ROOT)/lib/libendtable.a" \
		"$(ROOT)/lib/pkgconfig/endtable.pc" \
		"$(ROOT)/share/man/man1/endtable.1" "$(ROOT)"/share/man/man1/endtable-*.1 \
		"$(ROOT)/share/bash-completion/completions/endtable" \
		"$(ROOT)/share/zsh/site-functions/_endtable" \
		"$(ROOT)/share/fish/vendor_completions.d/endtable.fish"

# Cargo keeps all cores busy by itself; what is written in Python takes one, so that two go side by side.
test: lint rust-tests build
	$(MAKE) --jobs=2 --output-sync=target cluster-tests crosscheck python-package browser reader python-tests api

# The whole workspace: benchmarks, fuzz targets and tools cannot go stale unseen.
lint: lint-tools
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) clippy --lib --no-default-features --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --locked

# A toolchain installed with the minimal profile lacks these two.
lint-tools:
	@{ $(CARGO) fmt --version && $(CARGO) clippy --version; } >/dev/null 2>&1 \
		|| rustup component add rustfmt clippy

# Both in one go, so that the library is compiled once for both.
rust-tests:
	$(CARGO) test --locked -p endtable -p endtable-ffi

python-tests: $(VENV)/made
	$(VENV)/bin/python -m unittest discover -s tools -p 'test_*.py'

# The Python package, as pip installs it. Cargo builds no more of it than has changed.
python-package: python-install
	ENDTABLE=$(abspath $(ENDTABLE)) CARGO_TARGET_DIR=$(abspath $(TARGET)) \
		$(VENV_PACKAGE)/bin/python -m unittest discover -s python/tests

python-install: build $(VENV_PACKAGE)/made
	PATH="$(abspath $(VENV_PACKAGE))/bin:$$PATH" CARGO_TARGET_DIR=$(abspath $(TARGET)) \
		$(VENV_PACKAGE)/bin/python -m pip install --quiet \
		--disable-pip-version-check --no-build-isolation --no-deps --force-reinstall ./python

$(VENV_PACKAGE)/made: python/requirements.txt
	$(PYTHON) -m venv $(VENV_PACKAGE)
	$(VENV_PACKAGE)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

crosscheck: $(CROSSCHECKS)

crosscheck-collapsi: build
	$(PYTHON) tools/crosscheck.py $(ENDTABLE)

crosscheck-2048: build
	$(PYTHON) tools/crosscheck_2048.py $(ENDTABLE)

crosscheck-patterns: build
	$(PYTHON) tools/crosscheck_patterns.py $(ENDTABLE)

crosscheck-tak: build
	$(PYTHON) tools/crosscheck_tak.py $(ENDTABLE)

crosscheck-tak-tables: build
	$(PYTHON) tools/tak_solve.py $(ENDTABLE) 3x3 3x4 4x3

reader: build $(VENV)/made
	$(VENV)/bin/python tools/check_reader.py $(ENDTABLE)
	$(VENV)/bin/python tools/tak_check.py data/tak/tak-3x3.etb

# The JSON interface against the document that describes it.
api: build $(VENV)/made
	$(VENV)/bin/python tools/check_api.py $(ENDTABLE)

# The same with whatever Schemathesis thinks of.
schemathesis: build $(VENV_SCHEMATHESIS)/made
	$(VENV_SCHEMATHESIS)/bin/python tools/fuzz_api.py $(ENDTABLE)

$(VENV_SCHEMATHESIS)/made: tools/schemathesis.txt
	$(PYTHON) -m venv $(VENV_SCHEMATHESIS)
	$(VENV_SCHEMATHESIS)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

# The pages in a real browser. What they look like is kept in $(SCREENSHOTS).
browser: build $(VENV_BROWSER)/made
	@chromium=$$(command -v chromium || command -v chromium-browser); \
	if [ -z "$$chromium" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get install -y --no-install-recommends chromium >/dev/null || \
		{ apt-get update && apt-get install -y --no-install-recommends chromium; } >/dev/null; \
		chromium=$$(command -v chromium); \
	fi; \
	if [ -z "$$chromium" ]; then \
		echo "make browser: no Chromium here; install it (Debian: apt-get install chromium)" >&2; exit 1; \
	fi; \
	ENDTABLE=$(abspath $(ENDTABLE)) CHROMIUM=$$chromium SCREENSHOTS=$(abspath $(SCREENSHOTS)) \
		$(VENV_BROWSER)/bin/python -m unittest discover -s tests/browser

$(VENV_BROWSER)/made: tests/browser/requirements.txt
	$(PYTHON) -m venv $(VENV_BROWSER)
	$(VENV_BROWSER)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

# Plans on a cluster of HyperQueue on this machine, with kills and damage.
cluster-tests: build $(VENV_CLUSTER)/made
	ENDTABLE=$(abspath $(ENDTABLE)) $(VENV_CLUSTER)/bin/python -m unittest discover -s tests/cluster

$(VENV_CLUSTER)/made: tools/cluster/requirements.txt
	$(PYTHON) -m venv $(VENV_CLUSTER)
	$(VENV_CLUSTER)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

# Made once: the file is there only when the packages are, too.
$(VENV)/made: tools/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

# The other stores are a crate of their own, so that tests need not build them.
bench: python-install $(VENV_CLUSTER)/made
	$(CARGO) bench --locked
	ENDTABLE=$(abspath $(ENDTABLE)) $(VENV_PACKAGE)/bin/python benches/python.py
	ENDTABLE=$(abspath $(ENDTABLE)) $(PYTHON) benches/serve.py
	ENDTABLE=$(abspath $(ENDTABLE)) $(VENV_CLUSTER)/bin/python benches/cluster.py
	$(CARGO) run --profile peers --locked -p peers

strength: build
	$(PYTHON) tools/strength.py $(ENDTABLE)

clean:
	$(CARGO) clean
