"""A HyperQueue server with two workers, until standard input ends. Prints the server's folder."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "cluster"))

from tasks import local_cluster  # noqa: E402

with local_cluster(workers=2, cores=1) as cluster:
    print(cluster.cluster.server_dir, flush=True)
    sys.stdin.read()
