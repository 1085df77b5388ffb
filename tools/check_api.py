"""The answers of `endtable serve` against its OpenAPI document: `make test` runs it.

    python tools/check_api.py ENDTABLE

A server is started with tables of every game. Each address of the document is asked with positions that
are known, searched, absent and unreadable, alone and in batches, and every answer must have a status
that the document lists and a body of its schema.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from jsonschema import Draft202012Validator

TABLES = [
    ("seeds.etb", "collapsi --seeds 0..1"),
    ("complete", "collapsi --complete --cards 6"),
    ("2x3.etb", "2048 --board 2x3 --objective tile:32"),
    ("44.etb", "2048 --pattern 44 --objective tile:32"),
    ("tak", "tak --size 3 --flats 2"),
]

POSITIONS = [
    {"game": "collapsi", "seed": "0"},
    {"game": "collapsi", "seed": "7", "rules": "wild"},
    {"game": "collapsi", "position": "2x.AA/2A3o2/..../...3 x"},
    {"game": "collapsi", "position": "2x.AA/2A3o2/..../...3 x", "rules": "wild", "table": "1"},
    {"game": "collapsi", "position": ".3x../.3o../3.../.... o"},
    {"game": "2048", "position": "2,4,0/0,2,0"},
    {"game": "2048", "position": "16,8,0/8,2,0"},
    {"game": "2048", "position": "2,4,8/4,8,4"},
    {"game": "2048", "position": "4,2,0,0/8,4,0,0/16,2,0,0/128,32,4,2"},
    {"game": "2048", "position": "0,0,0,0/2,4,0,0/128,256,512,128/64,128,1024,2048"},
    {"game": "tak", "position": "x3/x3/x3 1 1", "flats": "2"},
    {"game": "tak", "position": "x3/1,x2/x,2,x 1 2", "komi": "1"},
    {"game": "tak", "position": "x2,1/2,1,x/1,1,2 2 4"},
    {"game": "tak", "position": "x4/x4/x4/x4 1 1", "table": "4"},
    {"game": "collapsi", "position": "nonsense"},
    {"game": "chess", "position": "1"},
    {"game": "tak"},
    {},
]

MORE = {
    "probe": [{}, {"moves": "true"}, {"spawns": "true"}, {"table": "9"}, {"depth": "1"}],
    "solve": [{}, {"moves": "true"}, {"depth": "1"}, {"plies": "3"}, {"no-distance": "true"}],
    "moves": [{"depth": "1"}, {"plies": "2"}, {}],
    "line": [{}, {"chance": "5"}, {"chance": "x"}],
    "dump": [{}],
    "apply": [{}, {"move": "left"}, {"move": "a3"}],
    "tables": [{}],
    "nothing": [{}],
}


class Checker:
    """Holds answers against the document."""

    def __init__(self, address: str, document: dict) -> None:
        self.address = address
        self.document = document
        self.statuses: dict[str, int] = {}

    def schema(self, schema: dict) -> Draft202012Validator:
        """A schema of the document, which may refer to its components."""
        return Draft202012Validator({**schema, "components": self.document["components"]})

    def check(self, path: str, method: str, status: int, kind: str, body: bytes) -> None:
        known = self.document["paths"].get(path, {}).get(method)
        if known is None:
            if status not in (404, 405):
                raise SystemExit(f"{method} {path}: {status}, and the document does not have it")
            self.schema({"$ref": "#/components/schemas/Error"}).validate(json.loads(body))
            return
        if str(status) not in known["responses"]:
            raise SystemExit(f"{method} {path}: {status}, which the document does not list: {body!r}")
        content = known["responses"][str(status)]["content"]
        if kind not in content:
            raise SystemExit(f"{method} {path}: {kind}, expected {list(content)}")
        errors = list(self.schema(content[kind]["schema"]).iter_errors(json.loads(body)))
        if errors:
            raise SystemExit(f"{method} {path}: {body.decode()}: {errors[0].message}")
        self.statuses[f"{path} {method} {status}"] = 1 + self.statuses.get(f"{path} {method} {status}", 0)

    def ask(self, path: str, query: dict | None = None, body: bytes | None = None) -> None:
        address = self.address + path + ("?" + urlencode(query) if query else "")
        request = Request(address, data=body, headers={"Content-Type": "application/json"})
        try:
            answer = urlopen(request)
        except HTTPError as error:
            answer = error
        with answer:
            kind = answer.headers["Content-Type"]
            method = "get" if body is None else "post"
            self.check(path, method, answer.status, kind, answer.read())


def batches() -> Iterator[dict]:
    for game in ("collapsi", "2048", "tak"):
        positions = [it["position"] for it in POSITIONS if it.get("game") == game and "position" in it]
        yield {"game": game, "positions": positions, "plies": 2} if game == "tak" else {
            "game": game,
            "positions": positions,
        }
        yield {"game": game, "positions": positions[:2], "moves": True}
    yield {"positions": ["1"]}
    yield {"game": "collapsi", "positions": ["1"] * 1001}
    yield {"game": "collapsi"}


def check(checker: Checker) -> None:
    for name, options in MORE.items():
        path = f"/api/v1/{name}"
        for position in POSITIONS if name != "tables" else [{}]:
            for more in options:
                checker.ask(path, {**position, **more})
        for batch in batches():
            checker.ask(path, body=json.dumps(batch).encode())
        checker.ask(path, body=b"nonsense")


def main(program: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, job in TABLES:
            command = [program, "generate", *job.split(), "--out", name]
            subprocess.run(command, check=True, capture_output=True, cwd=folder)
        command = [program, "serve", "--listen", "127.0.0.1:0", *(name for name, _ in TABLES)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
            try:
                address = server.stdout.readline().strip().rstrip("/")
                with urlopen(address + "/api/v1/openapi.json") as answer:
                    document = json.load(answer)
                checker = Checker(address, document)
                check(checker)
            finally:
                server.kill()
    answered = {place.rsplit(" ", 1)[0] for place in checker.statuses if place.endswith(" 200")}
    missing = {f"{path} {method}" for path, known in document["paths"].items() for method in known}
    if missing - answered:
        raise SystemExit(f"never answered with 200: {sorted(missing - answered)}")
    count = sum(checker.statuses.values())
    print(f"{count} answers of {len(document['paths'])} addresses are as the document says")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
