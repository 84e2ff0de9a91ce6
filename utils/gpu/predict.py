"""What `weftc --report=roofline` predicts for the shapes and models, without a GPU."""
import json
import os
import re
import subprocess

import weft

CHIP = re.compile(r"^roofline: prediction for (\S+) \((\S+):")
ENTRY = re.compile(r"^roofline: entry (\S+): (\S+) ms")
STEPS = {"prefill": "_step_last", "decode": "_step"}  # the last position's logits behind a prompt, and those of a token


def report(binaries, model, flags):
    """For each chip its name, its device's, and for each entry milliseconds, and the share and the limit of the longest kernel."""
    command = [os.path.join(binaries, "weftc"), model, "--target=nvptx", "--no-weights", "--report=roofline",
               "--emit=kernels", "-o", os.devnull, *flags]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        raise SystemExit(f"bench_gpu.py: {result.stdout.strip()}")
    chips, entry = [], None
    for line in result.stdout.splitlines():
        if match := CHIP.match(line):
            chips.append((match[1], match[2], {}))
        elif match := ENTRY.match(line):
            entry = chips[-1][2][match[1]] = [float(match[2])]
        elif entry and len(entry) == 1 and line.split()[0] != "ms":
            fields = line.split()
            entry += [fields[9], fields[8]]
    return chips


def predict_shape(binaries, folder, shape, element):
    path = os.path.join(folder, "predict.weft")
    with open(path, "w") as file:
        file.write(shape.text(element))
    chips = report(binaries, path, weft.FLAGS[element])
    return [(chip, device, next(iter(entries.values()))) for chip, device, entries in chips]


def predict_model(binaries, folder, model, element):
    os.makedirs(os.path.join(folder, "predict"), exist_ok=True)
    with open(os.path.join(folder, "predict", "config.json"), "w") as file:
        json.dump(model.config, file)
    size = model.sizes["S"]
    at = f"--report-at=T={size},N={model.tokens()}"
    chips = report(binaries, os.path.join(folder, "predict"), [*weft.MODEL_FLAGS[element], at])
    return [(chip, device, next(row for name, row in entries.items() if name.endswith(STEPS[model.kind])))
            for chip, device, entries in chips]


def print_table(binaries, folder, work):
    """Of pairs of a shape or a model, and a type."""
    is_head = True
    for one, element in work:
        rows = (predict_shape if hasattr(one, "text") else predict_model)(binaries, folder, one, element)
        if is_head:
            print("Predicted from PTX by weftc --report=roofline; nothing of it was measured. Share and bound are those of the longest kernel.\n")
            print("| work | type | " + " | ".join(f"{chip} ({device}), ms | rate | of the roof | bound by"
                                                  for chip, device, *_ in rows) + " |")
            print("|---|---|" + "---|" * 4 * len(rows))
            is_head = False
        cells = []
        for _, _, (milliseconds, share, limit) in rows:
            number, unit = one.rate(element, milliseconds)
            cells.append(f"{milliseconds:.4f} | {number:.4g} {unit} | {share} % | {limit}")
        print(f"| {one.name} | {element} | " + " | ".join(cells) + " |", flush=True)
