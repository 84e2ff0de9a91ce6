"""What `weftc --report=roofline` predicts for the shapes, without a GPU."""
import os
import re
import subprocess

import weft

ENTRY = re.compile(r"^roofline: (?:prediction for (\S+) \((\S+):|entry \S+: (\S+) ms)")


def predict(binaries, folder, text, flags):
    """For each chip its name, its device's, milliseconds, and the share and the limit of the longest kernel."""
    path = os.path.join(folder, "predict.weft")
    with open(path, "w") as file:
        file.write(text)
    command = [os.path.join(binaries, "weftc"), path, "--target=nvptx", "--no-weights", "--report=roofline",
               "--emit=kernels", "-o", os.devnull, *flags]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        raise SystemExit(f"bench_gpu.py: {result.stdout.strip()}")
    rows = []
    for line in result.stdout.splitlines():
        match = ENTRY.match(line)
        if match and match[1]:
            rows.append([match[1], match[2]])
        elif match:
            rows[-1].append(float(match[3]))
        elif len(rows[-1]) == 3 and line.split()[0] != "ms":
            fields = line.split()
            rows[-1] += [fields[9], fields[8]]
    return rows


def print_table(binaries, folder, work):
    """Of pairs of a shape and a type."""
    is_head = True
    for shape, element in work:
        rows = predict(binaries, folder, shape.text(element), weft.FLAGS[element])
        if is_head:
            print("Predicted from PTX by weftc --report=roofline; nothing of it was measured.\n")
            print("| shape | type | " + " | ".join(f"{chip} ({device}), ms | rate | of the roof | bound by"
                                                   for chip, device, *_ in rows) + " |")
            print("|---|---|" + "---|" * 4 * len(rows))
            is_head = False
        cells = []
        for _, _, milliseconds, share, limit in rows:
            number, unit = shape.rate(element, milliseconds)
            cells.append(f"{milliseconds:.4f} | {number:.4g} {unit} | {share} % | {limit}")
        print(f"| {shape.name} | {element} | " + " | ".join(cells) + " |", flush=True)
