"""A lit format: a folder with a compiled model's inputs and reference values is a test.

A case holds `config.json` and `model.safetensors`, and for every run
`inputs[_RUN].safetensors` with `expected[_RUN].safetensors`. The case is compiled to a shared library once, and
every run is compared by weft-run. Runs whose name begins with `gen` generate as many tokens as `step_logits` has: a case
that has one is compiled with `--step` and generates with the cache and without it, and its other runs are repeated in
pieces: one position a call, and random numbers of them. `no_step.txt` says why a case has no step; a model that carries a
state of its own goes on without. `pieces_differ.txt` says why such a model computes something else in pieces than at once.
`options[_RUN].txt` holds further arguments of weft-run for a run, `options_weftc.txt` those of weftc, which runs in the
folder; if they name a text, that is compiled instead of the folder.

The cases that `nvptx.txt` lists are tests once more, `CASE/nvptx`: compiled for a GPU and run in the emulator. With
`lit -Dnvptx=all` all cases are; with `WEFT_GPU=1` in the environment weft-gpu-emu stands for the machine's own driver (lit.cfg.py).
The cases that `default_level.txt` lists are optimised as users' models are, the others little (quick.py).
"""
import glob
import os
import re
import shlex

import lit.formats
import lit.Test
import lit.util
from quick import quick_environment
from tensorfile import shapes


def options(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return shlex.split(file.read())


class GoldenCases(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path, lit_config, local_config):
        folder = suite.getSourcePath(path)
        if glob.glob(os.path.join(glob.escape(folder), "inputs*.safetensors")):
            yield lit.Test.Test(suite, path, local_config)
            if lit_config.params.get("nvptx") == "all" or self.isListed("nvptx.txt", suite, path):
                yield lit.Test.Test(suite, path + ("nvptx",), local_config)

    @staticmethod
    def isListed(listing, suite, path):
        with open(suite.getSourcePath((path[0], listing))) as file:
            return "/".join(path[1:]) in file.read().split()

    @staticmethod
    def forTarget(command, target):
        """Compiling for a GPU, running in the emulator."""
        if target != "nvptx":
            return command
        if command[0] == "weftc":
            return command + ["--target=nvptx"]
        return ["weft-gpu-emu", "--", *command]

    def execute(self, test, lit_config):
        folder, library, target = test.getSourcePath(), test.getExecPath() + ".so", "cpu"
        if not os.path.exists(folder):
            folder, target = os.path.split(folder)
        os.makedirs(os.path.dirname(library), exist_ok=True)
        optimised = self.isListed("default_level.txt", test.suite, test.path_in_suite)
        environment = test.config.environment if optimised else quick_environment(test.config)
        log = []
        for command in self.commands(folder, library):
            command = self.forTarget(command, target)
            log.append("$ " + shlex.join(command))
            out, err, status = lit.util.executeCommand(command, cwd=folder, env=environment)
            log.append(out + err)
            if status != 0:
                return lit.Test.Result(lit.Test.FAIL, "\n".join(log))
        for command in self.pieces(folder, library, environment):
            command = self.forTarget(command, target)
            log.append("$ " + shlex.join(command))
            out, err, status = lit.util.executeCommand(command, env=environment)
            log.append(out + err)
            if status != 0:
                return lit.Test.Result(lit.Test.FAIL, "\n".join(log))
        return lit.Test.Result(lit.Test.PASS, "\n".join(log))

    def pieces(self, folder, library, environment):
        """The runs of a model that can go on from where it was, in pieces."""
        description, _, _ = lit.util.executeCommand(["weft-run", library], env=environment)
        generated = re.search(r"^generate (\S+) over", description, re.MULTILINE)
        goes_on = re.search("^(step|state) ", description, re.MULTILINE)
        if not generated or not goes_on or self.differs(folder):
            return
        for run, command, expected in self.runs(folder, library):
            if not run.startswith("_gen") and generated.group(1) in shapes(expected):
                yield command + ["--chunks", "1"]
                for seed in "1", "2":
                    yield command + ["--chunks", "random", "--seed", seed]

    def commands(self, folder, library):
        compiling = options(os.path.join(folder, "options_weftc.txt"))
        model = [] if any(option.endswith(".weft") for option in compiling) else ["."]
        step = ["--step"] if self.generates(folder) else []
        yield ["weftc", *model, *compiling, *step, "-o", library]
        for run, command, expected in self.runs(folder, library):
            if run.startswith("_gen"):
                command += ["--generate", str(shapes(expected)["step_logits"][1])]
                if not self.differs(folder):
                    yield command + ["--no-cache"]
            yield command

    @staticmethod
    def differs(folder):
        return os.path.exists(os.path.join(folder, "pieces_differ.txt"))

    @staticmethod
    def generates(folder):
        refused = os.path.exists(os.path.join(folder, "no_step.txt"))
        return not refused and bool(glob.glob(os.path.join(glob.escape(folder), "inputs_gen*.safetensors")))

    def runs(self, folder, library):
        for inputs in sorted(glob.glob(os.path.join(glob.escape(folder), "inputs*.safetensors"))):
            run = os.path.basename(inputs)[len("inputs") : -len(".safetensors")]
            expected = os.path.join(folder, "expected" + run + ".safetensors")
            command = ["weft-run", library, "--inputs", inputs, "--expect", expected]
            yield run, command + options(os.path.join(folder, "options" + run + ".txt")), expected
