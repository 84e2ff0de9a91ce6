#!/usr/bin/env python3
"""Times Weft and other systems on the same work, in turns, and prints a Markdown table for docs/Performance.md.

Weft, peer, Weft, peer, ...: what the machine does meanwhile meets both. The ratio is of the medians of one such run,
below 1 where Weft is faster; the best peer is that with the highest. Weights are made up. Peers that are missing are left
out, and a line under the table says so. The limit is the measured peak of the type's arithmetic, or for what reads more than
caches hold the memory's rate, if that takes longer.

usage: utils/bench_peers.py [--peers] [--list] [--write DIR] [--only PATTERN]... [--types f32,bf16,int8,int4]
       [--threads 1,2] [--quick] [--large] [--json FILE] [--check FILE]
       [--build build/release] [--folder build/peers] [--work DIR]
"""
import argparse
import fnmatch
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "peers"))
import table  # noqa: E402
import worker  # noqa: E402
import workloads  # noqa: E402

LONG_TURN = 3000  # ms: what takes so long (a type that the processor has no unit for) is timed once


class Peer(NamedTuple):
    name: str
    script: str
    arguments: list
    there: bool
    python: str = sys.executable


def torch_python():
    """The interpreter that has PyTorch: this one, or the system's."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import torch"], capture_output=True,
                                                     check=False).returncode == 0:
            return python
    return None


def find_peers(folder):
    def has(*path):
        return os.path.exists(os.path.join(folder, *path))
    python = torch_python()
    runtime = has("npm", "node_modules", "onnxruntime-node", "package.json")
    return [
        Peer("PyTorch", "run_torch.py", [], python is not None, python or sys.executable),
        Peer("ONNX Runtime", "run_ort.py", [folder, "columns"], runtime),
        Peer("ONNX Runtime (blocks)", "run_ort.py", [folder, "blocks"], runtime),
        Peer("oneDNN", "run_onednn.py", [folder], has("libonednn_products.so")),
        Peer("llama.cpp", "run_llama.py", [folder], has("npm", "node_modules", "@node-llama-cpp", "linux-x64")),
    ]


def print_peers(peers, folder):
    for peer in peers:
        print(f"{peer.name}: {'there' if peer.there else 'missing'}")
    if not all(peer.there for peer in peers):
        print(f"what is missing: sh utils/peers/install.sh {folder}")


def measure_limits(weft_run, threads):
    """GFLOP/s of each type and GB/s; where a type has no unit of its own its arithmetic is that of f32."""
    output = subprocess.run([weft_run, "--machine", f"--threads={threads}"], capture_output=True, text=True, check=True)
    found = json.loads(output.stdout)
    return {"f32": found["f32"], "bf16": found["bf16"], "int8": found["int8"], "int4": found["int8"],
            "read": found["reads"][-1]["rate"]}


class Bench:
    def __init__(self, options, peers):
        self.options, self.notes, self.limits = options, {}, {}
        self.bin = os.path.join(options.build, "bin")
        self.weft = worker.Worker("run_weft.py", [self.bin, options.work])
        self.peers = [(peer, worker.Worker(peer.script, peer.arguments, peer.python)) for peer in peers if peer.there]
        for peer in peers:
            if not peer.there:
                self.notes[f"{peer.name} is missing: left out."] = True
        self.rounds, self.seconds = (5, 0.03) if options.quick else (9, 0.25)

    def alternate(self, workers):
        """Medians of the turns of each, which all have been prepared; None for one that failed."""
        times = [[] for _ in workers]
        for _ in range(self.rounds):
            for one, found in zip(workers, times):
                answer = one.ask({"turn": self.seconds})
                if "ms" not in answer:
                    return [None] * len(workers)
                found.append(answer["ms"])
                one.settle()
            if max(found[0] for found in times) > LONG_TURN:
                break
        return [statistics.median(found) for found in times]

    def cell(self, work, element, threads):
        """One row: Weft against each peer that can do it, one at a time, so that memory holds two models."""
        request = {"prepare": work.name, "type": element, "threads": threads}
        weft = self.weft.ask(request)
        cell = {"workload": work.name, "type": element, "threads": threads, "peer": None, "peer_ms": None,
                "weft": "" if "version" in weft else "none yet", "weft_ms": None, "ratio": None, "of_limit": None,
                "limit_ms": work.limit(element, self.limits[threads])}
        if "missing" in weft:
            self.notes[f"Weft, {work.name}, {element}: {weft['missing']}."] = True
        for peer, process in self.peers:
            answer = process.ask(request)
            if "missing" in answer:
                if not answer["missing"].startswith(("not timed", "timed on", "runs language")):
                    self.notes[f"{peer.name}, {work.name}, {element}: {answer['missing']}."] = True
                continue
            medians = self.alternate([self.weft, process] if "version" in weft else [process])
            process.ask({"free": 1})
            self.take(cell, f"{peer.name} {answer['version']}", medians)
        if not cell["peer"] and "version" in weft:
            cell["weft_ms"], = self.alternate([self.weft])
        if cell["weft_ms"] and cell["limit_ms"]:
            cell["of_limit"] = cell["weft_ms"] / cell["limit_ms"]
        self.weft.ask({"free": 1})
        return cell

    def take(self, cell, name, medians):
        """Keeps the peer if it is the best so far: the highest ratio, or where Weft has none the least time."""
        if medians[-1] is None:
            self.notes[f"{name}, {cell['workload']}, {cell['type']}: a turn failed."] = True
            return
        ratio = medians[0] / medians[1] if len(medians) == 2 else None
        better = ratio > (cell["ratio"] or 0) if ratio else medians[-1] < (cell["peer_ms"] or float("inf"))
        if better:
            cell.update(peer=name, peer_ms=medians[-1], weft_ms=medians[0] if ratio else None, ratio=ratio)

    def run(self, works):
        for threads in self.options.threads:
            self.limits[threads] = measure_limits(os.path.join(self.bin, "weft-run"), threads)
        rough = ", quick: rough figures" if self.options.quick else ""
        print(f"{table.machine()}; {time.strftime('%Y-%m-%d')}{rough}")
        for threads, limits in self.limits.items():
            rates = ", ".join(f"{name} {limits[name]:.0f} GFLOP/s" for name in ("f32", "bf16", "int8"))
            print(f"Limits, {threads} threads: {rates}, memory {limits['read']:.1f} GB/s.")
        print("\n" + table.header())
        cells = []
        for work in works:
            for element in (one for one in work.types if one in self.options.types):
                for threads in self.options.threads:
                    cells.append(self.cell(work, element, threads))
                    print(table.row(cells[-1]), flush=True)
        print("\n" + "\n".join(f"- {note}" for note in self.notes))
        return cells

    def close(self):
        for one in [self.weft] + [process for _, process in self.peers]:
            one.close()


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true", help="say which peers are there and how to get the others")
    parser.add_argument("--list", action="store_true", help="list the work")
    parser.add_argument("--write", metavar="DIR", help="write the models that weftc compiles there, and time nothing")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="work of this name (*: any text)")
    parser.add_argument("--types", default=",".join(workloads.TYPES), type=lambda text: text.split(","))
    parser.add_argument("--threads", default="1,2", type=lambda text: [int(part) for part in text.split(",")])
    parser.add_argument("--quick", action="store_true", help="five short turns each: rough figures")
    parser.add_argument("--large", action="store_true", help="TinyLlama too (5 GB of memory each for Weft and a peer)")
    parser.add_argument("--json", metavar="FILE", help="write the figures there")
    parser.add_argument("--check", metavar="FILE", help="fail where a ratio is 5 %% worse than in this table or JSON")
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--folder", default="build/peers", help="where install.sh put the peers")
    parser.add_argument("--work", metavar="DIR", help="compile in this folder and keep it")
    options = parser.parse_args()
    unknown = [one for one in options.types if one not in workloads.TYPES]
    if unknown or min(options.threads) < 1:
        parser.error(f"types are {', '.join(workloads.TYPES)}, and threads are at least 1")
    return options


def choose(options):
    works = [work for work in workloads.workloads() if (options.large or not work.large) and (
        not options.only or any(fnmatch.fnmatch(work.name.lower(), part.lower()) for part in options.only))]
    if not works:
        sys.exit("no work is called so; --list shows all (TinyLlama needs --large)")
    return works


def main():
    options = parse()
    if options.list:
        for work in workloads.workloads():
            print(f"{work.name}: {', '.join(work.types)}{' (--large)' if work.large else ''}")
        return
    peers = find_peers(options.folder)
    if options.peers:
        print_peers(peers, options.folder)
        return
    works = choose(options)
    if options.write:
        os.makedirs(options.write, exist_ok=True)
        for work in works:
            workloads.write_model(options.write, work)
        return
    older = table.read(options.check) if options.check else {}
    with tempfile.TemporaryDirectory() as temporary:
        options.work = options.work or temporary
        os.makedirs(options.work, exist_ok=True)
        bench = Bench(options, peers)
        try:
            cells = bench.run(works)
        finally:
            bench.close()
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"machine": table.machine(), "limits": bench.limits, "cells": cells}, file, indent=1)
    slower = table.worse(cells, older)
    if slower:
        sys.exit("slower than in " + options.check + ":\n" + "\n".join(slower))


if __name__ == "__main__":
    main()
