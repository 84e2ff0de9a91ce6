"""Which formats of quantised checkpoints agree for which types of models:

    python3 utils/check_formats.py [--models NAME,...] [--formats NAME,...]

Each of the golden models below gets matrices that are wide enough for blocks, with made-up numbers; each format packs them by the
loops of make_quantised.py and make_gguf.py, which Weft's code knows nothing of. The logits have to be those of the model that has
the numbers which the codes stand for, in f32. Prints a table in Markdown: the largest difference relative to the largest logit, or
`-` where GGUF has no such architecture here; the exit status says whether all agree. `weftc` and `weft-run` are found by PATH.
"""
import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

import make_gguf
import make_quantised
import tensorfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = ["llama-gqa", "mistral-swa", "qwen2", "qwen3", "qwen3-moe", "phi3-window", "gemma", "mixtral", "olmo2", "starcoder2", "qwen2-moe"]
BLOCKS = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "MXFP4", "F16", "BF16", "F32"]
SIZES = ["hidden_size", "intermediate_size", "moe_intermediate_size", "shared_expert_intermediate_size"]
TOLERANCE = 1e-4


class Failure(Exception):
    pass


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(" ".join(command) + ":\n" + done.stdout + done.stderr)
    return done.stdout + done.stderr


def read_config(model, width):
    with open(os.path.join(ROOT, "test", "Golden", model, "config.json")) as file:
        config = json.load(file)
    wide = {size: width for size in SIZES}
    wide.update({"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": width // 4})
    wide.update({"num_hidden_layers": 1, "mlp_only_layers": [], "decoder_sparse_step": 1})
    return {**config, **{key: value for key, value in wide.items() if key in config}}


def shapes_of(folder, config):
    """What weftc says that the weights are, a tensor for each part of a stack."""
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file)
    text = run("weftc", folder, "--report=weights", "--no-weights", "-O0", "-o", os.path.join(folder, "x.o"))
    shapes = {}
    for name, dims in re.findall(r"^ +\d+ +\S+ +\S+ +\S+ +(\S+) \[([\d, ]+)\]", text, re.MULTILINE):
        shape = [int(size) for size in dims.split(",")]
        stack = re.search(r"\{(\d+)\}", name)
        shape = shape[1:] if stack else shape
        if len(shape) > 2:  # heads are merged in the checkpoint
            rows = shape[0] if ".o_proj." in name else shape[0] * shape[1]
            shape = [rows, math.prod(shape) // rows]
        for number in range(int(stack.group(1)) if stack else 1):
            shapes[re.sub(r"\{\d+\}", str(number), name)] = shape
    return shapes


def make_up(shapes):
    draw, tensors = random.Random(11), {}
    for name, shape in shapes.items():
        middle = 1.0 if len(shape) == 1 and name.endswith("norm.weight") else 0.0
        count = math.prod(shape)
        tensors[name] = (shape, [make_quantised.rounded(draw.gauss(middle, 0.05), "f") for _ in range(count)])
    return tensors


def is_chosen(name, shape):
    """Matrices of layers, but for routers."""
    return re.search(r"layers\.", name) and name.endswith(".weight") and len(shape) == 2 and not any(size % 32 for size in shape)


class Model:
    """A model in a folder of its own, and the formats of its files."""

    def __init__(self, name, folder, width):
        self.name, self.folder = name, folder
        self.inputs = os.path.join(ROOT, "test", "Golden", name, "inputs.safetensors")
        self.config = read_config(name, width)
        self.tensors = make_up(shapes_of(folder, self.config))

    def path(self, name):
        return os.path.join(self.folder, name)

    def logits(self, source, name):
        library, output = self.path(name + ".so"), self.path(name + ".out")
        run("weftc", self.path(source), "-O0", "-o", library)
        run("weft-run", library, "--inputs", self.inputs, "--outputs", output)
        return tensorfile.read(output)

    def difference(self, source):
        found, worst = self.logits(source, "coded"), 0.0
        for name, (shape, expected) in self.logits("plain", "plain").items():
            if found[name][0] != shape:
                raise Failure("%s: another shape" % name)
            largest = max(abs(value) for value in expected)
            worst = max(worst, max(abs(a - b) for a, b in zip(found[name][1], expected)) / largest)
        return worst

    def check(self, kind):
        if kind not in BLOCKS:
            coded, plain = make_quantised.quantise(self.tensors, kind, is_chosen)
            make_quantised.write(self.path("coded"), {**self.config, "quantization_config": make_quantised.FORMATS[kind][1]}, coded)
            make_quantised.write(self.path("plain"), self.config, plain)
            return self.difference("coded")
        if self.config["model_type"] not in make_gguf.ARCHITECTURES:
            return None
        source = {name: ("F32", shape, values) for name, (shape, values) in self.tensors.items()}
        make_quantised.write(self.path("source"), self.config, source)
        script = os.path.join(ROOT, "utils", "make_gguf.py")
        run(sys.executable, script, self.path("source"), "-o", self.path("coded.gguf"), "--types", kind, "--dequantised", self.path("plain"))
        return self.difference("coded.gguf")


def width_of(kind):
    """Of the matrices: a whole block."""
    return 256 if kind in BLOCKS and make_gguf.gguf_blocks.block_size(kind) == 256 else 64


def cell(model, kind):
    """What the table says, and whether it is as it should be."""
    try:
        worst = model.check(kind)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return "**fails**", False
    if worst is None:
        return "-", True
    return ("0" if worst == 0 else "%.0e" % worst), worst <= TOLERANCE


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--formats", default=",".join([*make_quantised.FORMATS, *BLOCKS]))
    args = parser.parse_args()
    names, models, agree = args.models.split(","), {}, True
    with tempfile.TemporaryDirectory() as folder:
        print("| | " + " | ".join(read_config(name, 64)["model_type"] for name in names) + " |")
        print("|---" * (len(names) + 1) + "|")
        for kind in args.formats.split(","):
            cells = []
            for name in names:
                key = (name, width_of(kind))
                if key not in models:
                    models[key] = Model(name, tempfile.mkdtemp(dir=folder), key[1])
                text, is_right = cell(models[key], kind)
                cells.append(text)
                agree = agree and is_right
            print("| %s | %s |" % (kind, " | ".join(cells)), flush=True)
    sys.exit(0 if agree else 1)


if __name__ == "__main__":
    main()
