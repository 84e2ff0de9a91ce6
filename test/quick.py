"""Tests that compile with little of LLVM: what kernels compute does not depend on what LLVM makes of them, and compiling without takes
half of the time or less. Random programs, the golden models that Golden/default_level.txt lists and the long form have the default
level, and Execution/levels.test compares the levels."""
import os


def quick_environment(config):
    """The environment in which `weftc` is the quick one, unless tests are long."""
    if "long_tests" in config.available_features:
        return config.environment
    quick = os.path.join(config.weft_source_dir, "test", "Inputs", "Quick")
    return {
        **config.environment,
        "WEFT_BIN": os.path.join(config.weft_binary_dir, "bin"),
        "PATH": os.pathsep.join([quick, config.environment["PATH"]]),
    }


def use_quick_compiler(config):
    """All tests of a folder."""
    config.environment = quick_environment(config)
