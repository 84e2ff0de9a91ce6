"""kept-int8.py FOLDER: a model and a checkpoint of its own, with a matrix for each way in which whole numbers are stored, whose products are
no results: h[t, n] = sum(k) x[t, k] * w[n, k], y[t, m] = sum(n) h[t, n] * u[m, n]."""
import os
import random
import sys

import tensorfile

K, N, M = 864, 34, 5
CODE = "bits(codes[o, i // 2], 4 * (i % 2), 4)"
LEVELS = "[-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113]"
# Codes in a byte, neighbours that share a scale, the tensors beside the codes, and the formula.
FORMATS = {
    "four": (2, 48, ("scale",), f"scale[o, i // 48] * ({CODE} - 8)"),
    "zero": (2, 16, ("scale", "zero"), f"scale[o, i // 16] * ({CODE} - zero[o, i // 16])"),
    "least": (2, 96, ("scale", "least"), f"scale[o, i // 96] * {CODE} + least[o, i // 96]"),
    "listed": (2, 32, ("scale",), f"scale[o, i // 32] * {LEVELS}[{CODE}]"),
    "halves": (2, 32, ("scale",), f"scale[o, i // 32] * [0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6][{CODE}]"),
    "eight": (1, 32, ("scale",), "scale[o, i // 32] * signed(codes[o, i], 8)"),
    "moved": (1, 48, ("scale", "zero"), "scale[o, i // 48] * (bits(codes[o, i], 0, 8) - zero[o, i // 48])"),
    "raised": (1, 16, ("scale", "least"), "scale[o, i // 16] * bits(codes[o, i], 0, 5) + least[o, i // 16]"),
    "rows": (1, K, ("scale",), f"scale[o, i // {K}] * signed(codes[o, i], 8)"),
}


def main(folder):
    draw = random.Random(3)
    text, outputs, rules, tensors = "", "", "", {}
    for name, (codes, group, beside, formula) in FORMATS.items():
        text += f"  param {name}.weight: [N, K] as {name}, {name}.u: [M, N] as {name}_u\n"
        outputs += f"  {name}_h[t, n] = sum(k) x[t, k] * {name}[n, k]\n  output {name}_y[t, m] = sum(n) {name}_h[t, n] * {name}_u[m, n]\n"
        kinds = {"scale": "scale: [O, G]", "zero": "zero: byte[O, G]", "least": "least: [O, G]"}
        rules += f"""
storage R_{name}(config) if config.method == "own" gives {{tensor}}: [O, I] {{
  let G = I // {group}
  param {name}_codes: byte[O, I // {codes}] as codes, {", ".join(kinds[part].replace(part, f"{name}_{part}", 1) + f" as {part}" for part in beside)}
  matrix[o: O, i: I] = {formula}
  return matrix
}}
"""
        shape = [N, K // group]
        tensors[f"{name}.{name}_codes"] = ("U8", [N, K // codes], [draw.randrange(256) for _ in range(N * K // codes)])
        tensors[f"{name}.{name}_scale"] = ("F16", shape, [draw.uniform(0.002, 0.02) for _ in range(shape[0] * shape[1])])
        if "zero" in beside:
            tensors[f"{name}.{name}_zero"] = ("U8", shape, [draw.randrange(16 if codes == 2 else 256) for _ in range(shape[0] * shape[1])])
        if "least" in beside:
            tensors[f"{name}.{name}_least"] = ("F32", shape, [draw.uniform(-0.2, 0.1) for _ in range(shape[0] * shape[1])])
        tensors[f"{name}.u"] = ("F32", [M, N], [draw.uniform(-1, 1) for _ in range(M * N)])
    os.makedirs(folder)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        file.write('{"quantization_config": {"method": "own"}}')
    with open(os.path.join(folder, "model.weft"), "w", encoding="utf-8") as file:
        file.write(f"model Kept(config) {{\n  dim T <= 130, K = {K}, N = {N}, M = {M}\n  input x: [T, K]\n{text}{outputs}}}\n{rules}")
    tensorfile.pack(os.path.join(folder, "model.safetensors"), tensors)


if __name__ == "__main__":
    main(*sys.argv[1:])
