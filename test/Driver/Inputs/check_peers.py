"""Writes a table as utils/bench_peers.py does, and prints what became worse: check_peers.py ROOT FILE."""
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "utils", "peers"))
import table  # noqa: E402


def cell(name, ratio, of_limit):
    return {"workload": name, "type": "f32", "threads": 1, "peer": "P 1.0" if ratio else None, "peer_ms": 10.0,
            "weft": "", "weft_ms": 8.0, "limit_ms": 6.0, "ratio": ratio, "of_limit": of_limit}


BEFORE = [cell("a", 0.8, 1.2), cell("b", 0.8, 1.2), cell("c", 0.5, 1.2), cell("d", None, 1.2)]
AFTER = [cell("a", 0.83, 1.4), cell("b", 0.88, 1.2), cell("c", None, 1.2), cell("d", None, 1.4), cell("e", 3.0, 3.0)]

with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write("a line\n\n" + table.header() + "\n" + "\n".join(map(table.row, BEFORE)) + "\n")
print("\n".join(table.worse(AFTER, table.read(sys.argv[2]))))
