"""The header's text: which game, which rules, and what made the table."""

import unicodedata

OPTION = "option "


class TextError(ValueError):
    """The text is not as specified."""


class Text:
    """The lines of the text. Names that are not known are kept, and ignored."""

    def __init__(self, data):
        self.entries = {}
        self.options = {}  # in the order of the command
        for name, value in lines(data):
            found, key = self.entries, name
            if name.startswith(OPTION):
                found, key = self.options, name.removeprefix(OPTION)
            if key in found:
                raise TextError(f"it has {name!r} twice")
            found[key] = value
        for name in ("game", "rules"):
            if not self.entries.get(name):
                raise TextError(f"it does not name the {name}")
        merged = self.entries.get("merged", "1")
        if not (merged.isascii() and merged.isdigit()):
            raise TextError(f"merged of {merged!r} tables")

    @property
    def game(self):
        return self.entries["game"]

    @property
    def rules(self):
        return self.entries["rules"]

    def command(self):
        """The command that makes the table again, None if it was merged."""
        if "merged" in self.entries:
            return None
        words = [f"endtable generate {self.game}"]
        if "position" in self.entries:
            words = [f'endtable solve {self.game} "{self.entries["position"]}"']
        for name, value in self.options.items():
            words.append(f"--{name} {value}" if value else f"--{name}")
        return " ".join(words)


def lines(data):
    """Name and value of each line."""
    try:
        *found, rest = data.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise TextError("it is not UTF-8") from None
    if rest:
        raise TextError("its last line has no end")
    for line in found:
        name, separator, value = line.partition(": ")
        if not separator or any(unicodedata.category(c) == "Cc" for c in line):
            raise TextError(f"{line!r} is not a name and a value")
        yield name, value
