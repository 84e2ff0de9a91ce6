#!/usr/bin/env python3
"""Times libraries of one model against each other: a call of each in turns, in one process.

  weftc MODEL --random-weights --name=m -o before.so    (and after.so, by another compiler or from another schedule)
  bench_turns.py --sizes T=512 before.so after.so [...]

What shares the machine changes from one second to the next, so the ratio of neighbouring calls says more than times do:
its median is good to about half a percent where a call takes milliseconds. Libraries are called by the header beside
them; the weights beside them may be a link to those of another. Of a model with a step a prompt of N positions is
timed, with `--decode P` one more after P of them."""
import argparse
import ctypes
import os
import statistics
import sys
import time

ROOT = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(ROOT, "peers"))
import run_weft  # noqa: E402
import worker  # noqa: E402
import workloads  # noqa: E402


def prepare(path, sizes, decode):
    """The library, and a function of no arguments that makes the call."""
    library = run_weft.Library(os.path.abspath(path))
    names = [name for name in library.header.functions if not name.endswith("_start")]
    if any(name.endswith("_step") for name in names):
        if not decode and "N" not in sizes:
            sys.exit("bench_turns.py: this model has a step: give --decode P, or the positions of a prompt, --sizes N=512")
        work = workloads.Workload("", "decode" if decode else "prefill", "", {"S": decode or sizes["N"]}, 0, 0, 0, [])
        return library, run_weft.prepare_step(library, work)
    return library, library.call(names[0], sizes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="+", metavar="LIBRARY")
    parser.add_argument("--sizes", default="", help="of the call: T=512,B=2; of a model with a step N=512")
    parser.add_argument("--decode", type=int, metavar="P", help="a token after P")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=40)
    arguments = parser.parse_args()
    try:
        sizes = {name: int(value) for name, value in (part.split("=") for part in arguments.sizes.split(",") if part)}
        calls = [(path, *prepare(path, sizes, arguments.decode)) for path in arguments.libraries]
        for _, library, call in calls:
            library.functions.weft_set_threads(ctypes.c_int64(arguments.threads))
            call()
    except (KeyError, OSError, StopIteration, ValueError, worker.Missing) as error:
        sys.exit(f"bench_turns.py: {error}")
    times = {path: [] for path in arguments.libraries}
    for _ in range(arguments.turns):
        for path, _, call in calls:
            begin = time.perf_counter()
            call()
            times[path].append((time.perf_counter() - begin) * 1e3)
    first = times[arguments.libraries[0]]
    for path, own in times.items():
        ratio = statistics.median(mine / other for mine, other in zip(own, first))
        print(f"{os.path.basename(path):24} least {min(own):8.3f} ms, median {statistics.median(own):8.3f} ms, "
              f"to the first {ratio:.3f}")


if __name__ == "__main__":
    main()
