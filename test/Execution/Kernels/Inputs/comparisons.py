"""Writes model.mlir, an output for each predicate of arith.cmpf, and for every length N of the arguments N.st and
N.expected.st: all pairs of a few reals and what each predicate says of them."""
import math
import sys

import tensorfile

# What holds of two reals: equal, greater, less, or unordered, which is what NaN is with everything.
PREDICATES = {
    "false": "", "oeq": "e", "ogt": "g", "oge": "eg", "olt": "l", "ole": "el", "one": "gl", "ord": "egl",
    "ueq": "eu", "ugt": "gu", "uge": "egu", "ult": "lu", "ule": "elu", "une": "glu", "uno": "u", "true": "eglu",
}
VALUES = [math.nan, 1.0, -2.5, 0.0, -0.0, math.inf, -math.inf, 1e-37]


def relation(a, b):
    return "u" if math.isnan(a) or math.isnan(b) else "e" if a == b else "g" if a > b else "l"


def model():
    real, flag = ("tensor<?x%s, #weft.bounds<T to 1000>>" % type for type in ("f32", "i1"))
    lines = ["module attributes {weft.model = \"M\", weft.stage = \"graph\", weft.symbols = #weft.bounds<T to 1000>} {"]
    arguments = ", ".join("%%%s: %s {weft.name = \"%s\"}" % (name, real, name) for name in "xy")
    results = ", ".join("%s {weft.name = \"%s\"}" % (flag, name) for name in PREDICATES)
    lines.append("  func.func @forward(%s) -> (%s) attributes {weft.entry} {" % (arguments, results))
    for name in PREDICATES:
        lines.append("    %%%s = weft.map [t in T to 1000] ins(%%x[t], %%y[t] : %s, %s) {" % (name, real, real))
        lines.append("    ^bb0(%a: f32, %b: f32):")
        lines.append("      %%c = arith.cmpf %s, %%a, %%b : f32" % name)
        lines.append("      weft.yield %c : i1")
        lines.append("    } -> " + flag)
    names = ", ".join("%" + name for name in PREDICATES)
    lines.append("    return %s : %s" % (names, ", ".join([flag] * len(PREDICATES))))
    return "\n".join(lines + ["  }", "}", ""])


with open("model.mlir", "w") as file:
    file.write(model())
for length in map(int, sys.argv[1:]):
    x = [VALUES[(i // len(VALUES) + 1) % len(VALUES)] for i in range(length)]
    y = [VALUES[i % len(VALUES)] for i in range(length)]
    tensorfile.pack("%d.st" % length, {"x": ("F32", [1, length], x), "y": ("F32", [1, length], y)})
    held = {name: [relation(a, b) in relations for a, b in zip(x, y)] for name, relations in PREDICATES.items()}
    tensorfile.pack("%d.expected.st" % length, {name: ("BOOL", [1, length], flags) for name, flags in held.items()})
