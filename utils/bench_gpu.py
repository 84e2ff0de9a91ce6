#!/usr/bin/env python3
"""Times Weft's code for a GPU on products, attention, decoding and language models, beside cuBLASLt, PyTorch, cuDNN,
FlexAttention, FlashAttention 3 and torch.compile, those of them that are there.

First the ceilings of the machine: a large copy, and a product of 8192x8192x8192. Inputs are from N(0, 1). All times are
medians: of kernels by events, with caches swept before, of calls by the clock of the host. A ratio is Weft's time over the
best other one's, below 1 where Weft is faster. Rows come in the order of what should be known first; what does not fit into
the budget is named at the end. Targets are those of an H100.

usage: utils/bench_gpu.py [--only PATTERN]... [--types bf16,f32] [--beside NAME,...] [--budget 540] [--tiny] [--list] [--check]
       [--predict] [--build build/release] [--keep DIR]
--check also computes some elements of every result in Python, and fails if one is wrong; --tiny takes odd sizes, as for the
emulator:
  weft-gpu-emu -- python3 utils/bench_gpu.py --tiny --check
--predict needs no GPU: it prints what weftc --report=roofline predicts for products, attention, decoding and models.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "gpu"))
import models  # noqa: E402
import predict  # noqa: E402
import shapes  # noqa: E402
import weft  # noqa: E402
from ahead import Ahead  # noqa: E402
from child import Child  # noqa: E402
from device import Missing  # noqa: E402

ROW = 120     # seconds for a row, of which torch.compile takes the most
GRACE = 30    # behind the budget, for the row that is timed then
PATIENCE = 5  # for what is not compiled yet


def is_model(work):
    return isinstance(work, models.Model)


def choose_work(options):
    """Pairs of work and type, the most important first: what a few shapes and models do in bf16, all others in bf16, f32."""
    found = [*(shapes.tiny_shapes() if options.tiny else shapes.all_shapes()),
             *(models.tiny_models() if options.tiny else models.all_models())]
    if options.only:
        found = [work for work in found if any(fnmatch.fnmatch(work.name, one) for one in options.only)]
    rows = [(work, element) for work in found for element in options.types if not is_model(work) or element in work.types()]
    return sorted(rows, key=lambda row: (row[1] != "bf16", not row[0].is_first(), is_model(row[0])))


class Bench:
    def __init__(self, options):
        self.end = time.monotonic() + options.budget
        self.options, self.child, self.notes = options, Child(options), []
        self.said, self.struck, self.ceilings, self.wrong = set(), set(), {}, False

    def left(self):
        return self.end - time.monotonic()

    def ask(self, *request):
        answer = self.child.ask(min(ROW, max(1, self.left() + GRACE)), *request)
        self.notes += answer.get("notes", [])
        return answer

    def time_others(self, work, element):
        """Names and milliseconds. Who ends the process that times, or hangs it, is not asked again."""
        kind, times = "models" if is_model(work) else "kernels", {}
        for name in self.others[kind]:
            if name in self.struck:
                continue
            answer = self.ask("other", kind, name, work, element)
            if "missing" in answer:
                self.notes.append(f"{work.name}, {element}, {name}: {answer['missing']}")
            if answer["lost"]:
                self.struck.add(name)
                self.notes.append(f"{name} is not asked again")
            if answer.get("ms"):
                times[name] = answer["ms"]
        return times

    def print_notes(self):
        """Each once: a process that is begun anew says again what is missing."""
        for note in self.notes:
            if note not in self.said:
                print("- " + note)
                self.said.add(note)

    def print_ceilings(self, name):
        """What this machine can do: GB/s of a large copy, TFLOP/s of a large product by others."""
        copy, edge = self.ask("copy"), 64 if self.options.tiny else 8192
        if "missing" in copy:
            self.notes.append("copy: " + copy["missing"])
        else:
            self.ceilings["copy"] = copy["rate"]
            name += f"; a copy of {copy['size'] >> 20} MiB reads and writes {copy['rate']:.0f} GB/s"
        largest = shapes.product(edge, edge, edge)
        for element in self.options.types:
            times = self.time_others(largest, element)
            if times:
                self.ceilings[element] = largest.rate(element, min(times.values()))[0]
                name += f"; a product of {edge} computes {self.ceilings[element]:.0f} TFLOP/s in {element}"
        others = [name for names in self.others.values() for name in names]
        print(name + "; beside " + (", ".join(others) or "no other system"))
        self.print_notes()

    def measure(self, work, element, library):
        """What the process that times says of Weft and of the others."""
        try:
            answer = self.ask("model" if is_model(work) else "shape", work, element, library.result())
        except Missing as missing:
            return {"missing": str(missing)}
        if "missing" not in answer:
            answer["others"] = self.time_others(work, element)
        return answer

    def row(self, work, element, answer):
        if "missing" in answer:
            return f"| {work.name} | {element} | {answer['missing']} | | | | | |"
        kernels, share = answer.get("kernels"), None
        if kernels:
            number, unit = work.rate(element, kernels)
            ceiling = self.ceilings.get("copy" if work.streams() else element)
            share = number / ceiling if ceiling else None
        else:
            number, unit = work.rate(element, answer["call"])
        others = answer["others"]
        best, ratio = min(others, key=others.get, default=""), ""
        if best:
            ratio = f"{(kernels or answer['call']) / others[best]:.2f} ({best} {others[best]:.3f} ms)"
        if answer.get("wrong"):
            self.notes.append(f"{work.name}, {element}: {answer['wrong']}")
            self.wrong = True
        cells = (work.name, element, f"{kernels:.3f}" if kernels else "", f"{answer['call']:.3f}", f"{number:.4g} {unit}",
                 "" if share is None else f"{100 * share:.0f} %", ratio, work.target(element, number))
        return "| " + " | ".join(cells) + " |"

    def print_rows(self, rest):
        """Prints rows as long as there is time; returns those for which there was none."""
        print("\n| work | type | kernels, ms | call, ms | rate | of the ceiling | ratio | target |\n" + "|---" * 8 + "|")
        while rest and self.left() > 0:
            work, element, library = rest.pop(0)
            try:
                library.exception(timeout=min(PATIENCE, self.left()))
            except concurrent.futures.TimeoutError:
                rest.append((work, element, library))  # a large model: others are ready
                continue
            print(self.row(work, element, self.measure(work, element, library)), flush=True)
        return rest

    def run(self, ahead, rows):
        about = self.ask("about")
        if "missing" in about:
            raise Missing(about["missing"])
        beside = self.options.beside
        self.others = {kind: [name for name in names if beside is None or name in beside]
                       for kind, names in about["others"].items()}
        try:
            rest = [(*row, ahead.start(*row, about["architecture"])) for row in rows]
            self.print_ceilings(about["name"])
            rest = self.print_rows(rest)
        finally:
            ahead.stop()
        self.print_notes()
        if rest:
            print(f"\nNot timed within {self.options.budget:.0f} s:")
        for work, element, _ in rest:
            print(f"- {work.name}, {element}")
        return 1 if self.wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--keep", help="a folder for what is compiled")
    parser.add_argument("--only", action="append", help="work whose names match, as of files")
    parser.add_argument("--types", default="bf16,f32", type=lambda text: text.split(","))
    parser.add_argument("--beside", type=lambda text: text.split(","), help="other systems that are timed (default: all there are)")
    parser.add_argument("--budget", default=540, type=float, help="seconds, behind which no row begins")
    for flag in ("--tiny", "--list", "--check", "--predict"):
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args()
    unknown = set(options.types) - set(weft.FLAGS)
    if unknown:
        parser.error("no type " + ", ".join(sorted(unknown)))
    rows = choose_work(options)
    if not rows:
        parser.error("no work has such a name; --list has them")
    if options.list:
        print(*(f"{work.name}, {element}" for work, element in rows), sep="\n")
        return 0
    binaries = os.path.join(options.build, "bin")
    if not os.path.exists(os.path.join(binaries, "weftc")):
        parser.error(f"no weftc in {binaries}; --build names the folder of a build")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        os.makedirs(folder, exist_ok=True)
        if options.predict:
            predict.print_table(binaries, folder, rows)
            return 0
        bench = Bench(options)
        try:
            return bench.run(Ahead(binaries, folder), rows)
        except Missing as missing:
            return f"bench_gpu.py: {missing}"
        finally:
            bench.child.stop()


if __name__ == "__main__":
    sys.exit(main())
