#!/usr/bin/env python3
"""Measures how compile time grows with the size of a model and prints a Markdown table.

Each kind is a generated model of n parts: a chain of n formulas, n outputs, n layers, ... The figures are processor
seconds of weftc, user and system together, so a busy machine does not change them much. The last column is the growth
from the last n but one to the last, as a power of n: 1 is linear.

usage: utils/scale.py [--build build/release] [--sizes 100,1000,10000] [--limit SECONDS] [--stages] [--write DIR] [KIND]...
"""
import argparse
import math
import os
import re
import resource
import subprocess
import sys
import tempfile


def model(lines, before=""):
    return before + "model M() {\n  dim T <= 8\n  input x: [T]\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def chain(n, formula):
    return model([formula.format(i=i) for i in range(n)] + ["output y = x"])


def doubling_modules(n):
    modules = "module M0(x: [T]) {\n  return x + 1\n}\n" + "".join(
        f"module M{i}(x: [T]) {{\n  a = M{i - 1}(x)\n  b = M{i - 1}(a)\n  return a + b\n}}\n" for i in range(1, n))
    return model([f"output y = M{n - 1}(x)"], modules)


def doubling_functions(n):
    functions = "fn f0(x) = x + 1\n" + "".join(f"fn f{i}(x) = f{i - 1}(x) * f{i - 1}(x)\n" for i in range(1, n))
    return model([f"output y[t] = f{n - 1}(x[t])"], functions)


LAYER = """module L(x: [T, D]) {
  param w: [D, D]
  y[t, e] = tanh(sum(d) x[t, d] * w[e, d])
  return y
}
"""
ATTENTION = ["input q: [T, 4], v: [T, 4]", "z[t, s] = sum(d) q[t, d] * q[s, d]"]
PRODUCT = ["input v: [T, 4]", "param w: [4, 4]", "z[t, e] = sum(d) v[t, d] * w[e, d]"]

# n parts; where the language has a limit, what is below it.
KINDS = {
    "formulas": lambda n: chain(n, "x[t] = x[t] * 1.0001 + {i}.5"),
    "sums": lambda n: chain(n, "s{i} = sum(t) x[t]\n  x[t] = x[t] + s{i}"),
    "softmaxes": lambda n: chain(n, "x[t] = softmax(t) x[t]"),
    "epilogue": lambda n: model(PRODUCT + [f"z[t, e] = z[t, e] * 1.0001 + {i}.5" for i in range(n)] + ["output y = z"]),
    "scores": lambda n: model(ATTENTION + [f"z[t, s] = z[t, s] * 1.0001 + {i}.5" for i in range(n)] +
                              ["p[t, s] = softmax(s) z[t, s]", "output y[t, d] = sum(s) p[t, s] * v[s, d]"]),
    "diamonds": lambda n: model(ATTENTION + [f"a{i}[t, s] = tanh(z[t, s])\n  b{i}[t, s] = exp(z[t, s])\n"
                                             f"  z[t, s] = a{i}[t, s] * b{i}[t, s]" for i in range(n)] +
                                ["p[t, s] = softmax(s) z[t, s]", "output y[t, d] = sum(s) p[t, s] * v[s, d]"]),
    "layers": lambda n: model(["input h: [T, D]", "dim D = 4", f"for l in 0..{n} {{\n    h = h.{{l}}: L(h)\n  }}",
                               "output y = h"], LAYER).replace("  input h: [T, D]\n  dim D = 4\n",
                                                               "  dim D = 4\n  input h: [T, D]\n"),
    "params": lambda n: model([f"param p{i}: [2]" for i in range(n)] + [f"x[t] = x[t] + p{i}[0]" for i in range(n)] +
                              ["output y = x"]),
    "inputs": lambda n: model([f"input x{i}: [T]" for i in range(n)] + [f"x = x + x{i}" for i in range(n)] +
                              ["output y = x"]),
    "outputs": lambda n: model([f"output y{i} = x * {i}.5" for i in range(n)]),
    "entries": lambda n: model([f"entry e{i}() {{\n    output y = x * {i}.5\n  }}" for i in range(n)]),
    "modules": doubling_modules,
    "functions": doubling_functions,
    "dims": lambda n: "model M() {\n" + "".join(f"  dim D{i} <= 3\n  input x{i}: [D{i}]\n" for i in range(n)) +
                      "".join(f"  output y{i} = x{i} * 2\n" for i in range(n)) + "}\n",
    "terms": lambda n: model(["output y[t] = x[t]" + "".join(f"\n    + tanh(x[t] * {i}.25)" for i in range(n))]),
    "name": lambda n: "model M() {\n  input " + "n" * n + ": [8]\n  output y" + "n" * n + " = " + "n" * n + " * 2\n}\n",
}


def compile_model(weftc, path, limit):
    """Processor seconds (None if it failed or took too long) and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run([weftc, "-v", path, "-o", path + ".o"], capture_output=True, text=True, check=False,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds if process.returncode == 0 else None, process.stderr


def describe(seconds, output, limit):
    if seconds is not None:
        return f"{seconds:.2f}"
    error = re.search(r"error: (.*)", output)
    return f"{error[1][:50]}" if error else f"> {limit}"


def measure(weftc, kind, sizes, options):
    cells, done = [], []
    with tempfile.TemporaryDirectory() as folder:
        for n in sizes:
            path = os.path.join(folder, f"{kind}.weft")
            with open(path, "w", encoding="utf-8") as file:
                file.write(KINDS[kind](n))
            seconds, output = compile_model(weftc, path, options.limit)
            cells.append(describe(seconds, output, options.limit))
            if options.stages and seconds is not None:
                parts = re.findall(r"^weftc: (\S+)\s+([0-9.]+) s", output, re.M)
                print(f"{kind} {n}: " + ", ".join(f"{name} {value}" for name, value in parts), file=sys.stderr)
            if seconds is None:
                cells += ["" for _ in sizes[len(cells):]]
                break
            done.append((n, seconds))
    power = ""
    if len(done) > 1:
        (n, seconds), (most, longest) = done[-2:]
        power = f"{math.log(longest / seconds) / math.log(most / n):.2f}"
    print(f"| {kind} | " + " | ".join(cells) + f" | {power} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", choices=[*KINDS, []], help=", ".join(KINDS))
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--sizes", default="100,1000,2000,4000,10000")
    parser.add_argument("--limit", type=int, default=120, help="processor seconds for one compilation")
    parser.add_argument("--stages", action="store_true", help="also print the seconds of each stage (wall clock)")
    parser.add_argument("--write", metavar="DIR", help="write the models of the first size there and measure nothing")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    kinds = options.kinds or list(KINDS)
    if options.write:
        for kind in kinds:
            with open(os.path.join(options.write, f"{kind}.weft"), "w", encoding="utf-8") as file:
                file.write(KINDS[kind](sizes[0]))
        return
    print("| kind | " + " | ".join(str(n) for n in sizes) + " | power |")
    print("|---|" + "---|" * (len(sizes) + 1))
    for kind in kinds:
        measure(os.path.join(options.build, "bin", "weftc"), kind, sizes, options)


if __name__ == "__main__":
    main()
