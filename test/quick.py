"""Folders whose tests compile with little of LLVM: what kernels compute does not depend on what LLVM makes of them, and compiling
without takes half of the time or less. Golden models, random programs and the long form have the default level, and
Execution/levels.test compares the levels."""
import os


def use_quick_compiler(config):
    if "long_tests" in config.available_features:
        return
    config.environment["WEFT_BIN"] = os.path.join(config.weft_binary_dir, "bin")
    quick = os.path.join(config.weft_source_dir, "test", "Inputs", "Quick")
    config.environment["PATH"] = os.pathsep.join([quick, config.environment["PATH"]])
