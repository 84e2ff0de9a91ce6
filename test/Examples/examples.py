"""A lit format: every text of docs/examples/{similarity,masks,...} is a test.

The Python file of the folder's name holds, for each text, its sizes and the same mathematics as plain loops over lists:
an independent formula, not derived from the text. A test compiles the text with random weights to a library, checks
that stage `fused` has no tensor over two positions (but inputs), compares all stages with the interpreter (--verify), and the
library's results with the loops; if it generates, also those of its step, in pieces.
"""
import glob
import importlib
import os
import random
import re
import shlex
import struct
import sys

import lit.formats
import lit.Test
import lit.util
import tensorfile

FOLDERS = ["similarity", "masks", "scores", "positions", "blocks", "models"]
# Files that others import.
PARTS = ["common", "layers"]


def draw(generator, shape, low=-1.0, high=1.0):
    """Random reals, exactly representable in 32 bits."""
    if not shape:
        return struct.unpack("<f", struct.pack("<f", generator.uniform(low, high)))[0]
    return [draw(generator, shape[1:], low, high) for _ in range(shape[0])]


def realize(generator, specification):
    """A tuple is the shape of random reals, everything else a value as it is."""
    return draw(generator, specification) if isinstance(specification, tuple) else specification


class Examples(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path, lit_config, local_config):
        root = os.path.join(local_config.weft_source_dir, "docs", "examples")
        for folder in FOLDERS:
            for text in sorted(glob.glob(os.path.join(glob.escape(root), folder, "*.weft"))):
                name = os.path.basename(text)[: -len(".weft")]
                if name not in PARTS:
                    yield lit.Test.Test(suite, path + (folder, name), local_config, file_path=text)

    def execute(self, test, lit_config):
        folder, name = test.path_in_suite[-2:]
        case = getattr(importlib.import_module(folder), name.replace("-", "_"), None)
        if case is None:
            return lit.Test.Result(lit.Test.FAIL, f"test/Examples/{folder}.py has no class for {name}.weft")
        base = test.getExecPath()
        os.makedirs(os.path.dirname(base), exist_ok=True)
        generator = random.Random(1)
        weights = {key: realize(generator, value) for key, value in getattr(case, "weights", {}).items()}
        inputs = {key: realize(generator, value) for key, value in case.inputs.items()}
        expected = case.formula(**{key.replace(".", "_"): value for key, value in {**inputs, **weights}.items()})
        if not isinstance(expected, dict):
            expected = {case.output if hasattr(case, "output") else "y": expected}
        for suffix, tensors in ((".checkpoint", weights), (".in", inputs), (".expected", expected)):
            tensorfile.write(base + suffix, tensors)
        return self.run(test, base, case, bool(weights))

    def run(self, test, base, case, has_weights):
        compile = ["weftc", test.file_path, *shlex.split(getattr(case, "options", ""))]
        checkpoint = ["--weights", base + ".checkpoint"] if has_weights else []
        log = []
        run = ["weft-run", base + ".so", "--inputs", base + ".in", "--expect", base + ".expected"]
        run += shlex.split(getattr(case, "run_options", ""))
        with open(test.file_path) as file:
            generates = re.search(r"^ *generate ", file.read(), re.MULTILINE)
        if generates:  # a text that says so has a step
            compile.append("--step")
        for command in (
            [*compile, "--emit=fused", "-o", base + ".mlir"],
            [*compile, *checkpoint, "--verify", "-o", base + ".so"],
            run,
            *([[*run, "--chunks=1"], [*run, "--chunks=random"]] if generates else []),
        ):
            log.append("$ " + shlex.join(command))
            out, err, status = lit.util.executeCommand(command, env=test.config.environment)
            log.append(out + err)
            if status != 0:
                return lit.Test.Result(lit.Test.FAIL, "\n".join(log))
        log += self.pairs(base + ".mlir", getattr(case, "streams", 1))
        return lit.Test.Result(lit.Test.FAIL if log[-1].startswith("error") else lit.Test.PASS, "\n".join(log))

    @staticmethod
    def pairs(path, streams):
        """Attention must stream: no result of a formula may have two positions."""
        with open(path) as file:
            lines = file.read().split("\n")
        found = sum("= weft.attention" in line for line in lines)
        if found < streams:
            return [f"error: {found} streaming attentions in stage fused, expected {streams}"]
        for line in lines:
            if re.search(r"-> \(?tensor<[^>]*\?[^>]*\?", line) and "func.func" not in line:
                return ["error: a tensor over two positions: " + line.strip()]
        return [""]


sys.path.append(os.path.dirname(os.path.abspath(__file__)))
