"""Schemathesis against the OpenAPI document of `endtable serve`: `make schemathesis` runs it.

    python tools/fuzz_api.py ENDTABLE [OPTIONS OF SCHEMATHESIS]

A server is started with the tables that are shipped, and asked whatever the document allows and does
not: no answer may be a mistake of the server's, or one that the document does not describe.
"""

import os
import subprocess
import sys
import tempfile

TABLES = ["data", "data/tak"]

# What 2 seconds a search, and several of them in a line, add up to, in seconds.
PATIENCE = "60"


def main(program: str, options: list[str]) -> int:
    command = [program, "serve", "--listen", "127.0.0.1:0", *TABLES]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().strip()
            fuzz = [
                *(sys.executable, "-m", "schemathesis.cli", "run", address + "api/v1/openapi.json"),
                *("--request-timeout", PATIENCE, "--max-examples", "100", "--checks"),
                "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
                *options,
            ]
            # It leaves what it has found where it runs.
            with tempfile.TemporaryDirectory() as folder:
                return subprocess.run(fuzz, check=False, cwd=folder).returncode
        finally:
            server.kill()


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2:]))
