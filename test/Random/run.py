"""Random programs, compiled and run in many ways, against an independent evaluation in plain Python.

  run.py --programs 1000 --seed 7 --jobs 2      numbers 0 to 999 of seed 7
  run.py --seed 7 --first 431 --programs 1      one of them again
  run.py --wide --device --programs 100         attentions and products that tiles are for, as PTX in the emulator
  run.py --bits --programs 100                  the same, whether results have the same bits however they are computed
"""
import argparse
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(HERE, "..", "..", "utils")]

from data import Data
from execution import Bench, Failure, configurations
from generate import generate
from reals import Undecided
from scale import SMALL, WIDE
from shrink import shrunk
from writing import weft

VERIFY_DRAWS = 12  # of data, to find some that --verify cannot judge
LEAST_STEPS = 0.75  # of the programs that generate: fewer would say that the derivation of steps has lost proofs


class Attempt:
    """One number of a seed: its program, data on which its results are decided, and the ways to compile and run it."""

    def __init__(self, options, number, folder):
        self.options, self.number, self.folder = options, number, folder
        self.program = generate(options.seed, number, WIDE if options.wide else SMALL)
        self.ways = configurations(self.program, number, options.device)
        self.steps = False

    def decided(self, program):
        """Data and expected results; None where four draws leave the results open."""
        batch = 1 if self.ways[0].batch is None else 2
        for turn in range(4):
            try:
                data = Data(program, f"{self.options.seed}/{self.number}/{turn}", batch)
                return data, data.expected(program)
            except Undecided:
                pass
        return None

    def failure(self, program):
        """None if the program does what it should, the text of the failure, or "undecided"."""
        wide = self.options.wide
        found = None if wide else self.decided(program)
        if not found and not wide:
            return "undecided"
        bench = Bench(self.folder, self.options.tools, weft(program))
        try:
            if self.options.bits:
                bench.check_bits(program, self.options.seed, self.number)
            elif wide:
                bench.check_wide(self.number, self.options.device)
            else:
                for way in self.ways:
                    bench.check(program, *found, way)
        except Undecided:
            return "undecided"
        except Failure as failure:
            return self.judged(str(failure), program)
        finally:
            self.steps = bench.steps
        return None

    def judged(self, text, program):
        """A difference that --verify finds, on data of its own, is open where some data make formulas no more exact."""
        if self.options.wide or "error: stage" not in text:
            return text
        for turn in range(VERIFY_DRAWS):
            data = Data(program, f"{self.options.seed}/{self.number}/{turn}")
            try:
                data.expected(program)
            except Undecided:
                pass
            if not data.exact:
                return "undecided"
        return text

    def shrink(self, text):
        """The smallest program that fails in the same way; its folder is left as the failing command had it."""

        def kind(outcome):  # of a command that fails, which one
            words = outcome.split()
            return words[: 3 if words[0] == "status" else 1], "differ" in outcome, "other bits" in outcome

        def fails(program):
            try:
                found = self.failure(program)
            except Exception:  # a step too far: no program any more
                return False
            return bool(found) and kind(found) == kind(text)

        if not fails(self.program):
            return f"{text}\n(once: it did not fail again)"
        program = shrunk(self.program, fails)
        return self.failure(program) or text


def work(task):
    """(number, outcome, whether it generates, whether it has a step); outcome: "passed", "undecided" or a text."""
    options, number = task
    folder = os.path.join(options.folder, str(os.getpid()))
    try:
        attempt = Attempt(options, number, folder)
        outcome = attempt.failure(attempt.program) or "passed"
        if outcome not in ("passed", "undecided") and not options.no_shrink:
            outcome = attempt.shrink(outcome)
        generates, steps = bool(attempt.program.generates), attempt.steps
    except Exception:  # a defect of the generator is no clean run
        outcome, generates, steps = "generator: " + traceback.format_exc(), False, False
    if outcome not in ("passed", "undecided") and os.path.isdir(folder):
        kept = os.path.join(options.folder, f"failed-{options.seed}-{number}")
        shutil.rmtree(kept, ignore_errors=True)
        os.rename(folder, kept)
        outcome = outcome.replace(folder, kept)
    return number, outcome, generates, steps


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=200, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the first number")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    built = os.path.join(HERE, "..", "..", "build", "release", "bin")
    parser.add_argument("--tools", default=built, help="folder of weftc and weft-run")
    parser.add_argument("--folder", help="where failing programs are left (default: a new one)")
    parser.add_argument("--device", action="store_true", help="compiled for GPUs, in the emulator")
    parser.add_argument("--wide", action="store_true", help="larger tensors, against the interpreter alone, in all types")
    parser.add_argument("--bits", action="store_true", help="larger tensors, in pieces, batches and threads, in all types")
    parser.add_argument("--no-shrink", action="store_true", help="leave failing programs as they are")
    parser.add_argument("--progress", type=int, default=0, help="a line for each so many programs")
    options = parser.parse_args()
    if options.bits and options.device:
        parser.error("--bits is for processors: a GPU promises the same bytes for the same call alone")
    options.wide |= options.bits
    options.tools = os.path.abspath(options.tools)
    options.folder = options.folder or tempfile.mkdtemp(prefix="weft-random-")
    return options


def main():
    options, started = parse(), time.time()
    counts = {"passed": 0, "undecided": 0, "failed": 0, "generating": 0, "steps": 0}
    with multiprocessing.Pool(options.jobs) as pool:
        tasks = ((options, number) for number in range(options.first, options.first + options.programs))
        for done, (number, outcome, generates, steps) in enumerate(pool.imap_unordered(work, tasks), 1):
            counts[outcome if outcome in counts else "failed"] += 1
            counts["generating"] += generates and outcome == "passed"
            counts["steps"] += steps and outcome == "passed"
            if outcome not in counts:
                print(f"seed {options.seed}, number {number}: {outcome}", flush=True)
            if options.progress and done % options.progress == 0:
                print(summary(counts, options.wide), flush=True)
    print(summary(counts, options.wide) + f" (seed {options.seed}, {time.time() - started:.0f} s)")
    few = not options.wide and counts["generating"] >= 20 and counts["steps"] < LEAST_STEPS * counts["generating"]
    if few:
        print("error: too few of the programs that generate have a step")
    return 1 if counts["failed"] or few else 0


def summary(counts, wide):
    text = f"{counts['passed']} programs agree, {counts['failed']} failed, {counts['undecided']} undecided by rounding"
    return text if wide else text + f"; {counts['steps']} of {counts['generating']} that generate have a step"


if __name__ == "__main__":
    sys.exit(main())
