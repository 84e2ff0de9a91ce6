"""The lit configuration of Weft: which files are tests and which names they may use."""
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "Weft"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".weft", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt", "__pycache__"]  # the last: what Python leaves beside the formats
config.test_source_root = os.path.join(config.weft_source_dir, "test")
sys.path.append(config.test_source_root)  # golden.py, quick.py
config.test_exec_root = os.path.join(config.weft_binary_dir, "test")
config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.weft_binary_dir, "bin"),
        config.llvm_tools_dir,
        config.environment["PATH"],
    ]
)
config.environment["PYTHONPATH"] = config.test_source_root  # tensorfile.py
# Kernels that several programs compute in the emulator are compiled once.
config.environment["WEFT_GPU_EMU_OBJECTS"] = os.path.join(config.test_exec_root, "EmulatorObjects")
# WEFT_GPU=1 runs what is compiled for a GPU on the machine's own driver; what the emulator alone can do is left out.
if os.environ.get("WEFT_GPU"):
    config.environment["WEFT_GPU"] = "1"
    config.environment["PATH"] = os.pathsep.join([os.path.join(config.test_source_root, "Inputs", "OnDevice"), config.environment["PATH"]])
else:
    config.available_features.add("emulator")
# lit runs tests side by side, as many as there are cores. Tests of threads say how many they want.
config.environment["WEFT_THREADS"] = "1"
config.substitutions.append(("%golden", os.path.join(config.weft_source_dir, "test", "Golden")))
config.substitutions.append(("%examples", os.path.join(config.weft_source_dir, "docs", "examples")))
config.substitutions.append(("%root", config.weft_source_dir))
config.substitutions.append(("%bin", os.path.join(config.weft_binary_dir, "bin")))
# More sizes and models of what the suite looks at: lit -Drun_long_tests=1 (utils/check-all.sh long).
if lit_config.params.get("run_long_tests"):
    config.available_features.add("long_tests")
if shutil.which("dpkg-deb"):
    config.available_features.add("dpkg")
config.substitutions.append(("%libdir", config.weft_libdir))
# Units of processors run where they are: lit shows tests of others as unsupported.
if os.path.exists("/proc/cpuinfo"):
    with open("/proc/cpuinfo") as file:
        told = file.read()
    flags = next((line.split() for line in told.splitlines() if line.startswith("flags")), [])
    for unit in "avx2", "avx512f", "avx512_bf16", "avx512_vnni", "avx_vnni", "amx_bf16", "amx_int8":
        if unit in flags:
            config.available_features.add("cpu-" + unit)
    if "AuthenticAMD" in told:
        config.available_features.add("cpu-amd")
# Models of other processors run where QEMU and a compiler of theirs are installed (utils/install-deps.sh check-all).
if shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc"):
    config.available_features.add("qemu-aarch64")
if shutil.which("qemu-x86_64"):
    config.available_features.add("qemu-x86_64")
# gdb starts programs: not everybody may trace them.
if shutil.which("gdb") and subprocess.run(["gdb", "-nx", "-batch", "-ex", "run", "true"], capture_output=True, text=True,
                                          check=False).stdout.count("exited normally"):
    config.available_features.add("gdb")
# The Python package needs NumPy; to be installed from the sources, what pip builds it with.
imports = "import numpy; from importlib.util import find_spec as f; print(*filter(f, ['pip', 'setuptools', 'wheel']))"
for python in "python3", "/usr/bin/python3":
    found = subprocess.run([python, "-c", imports], capture_output=True, text=True) if shutil.which(python) else None
    if found and found.returncode == 0:
        config.available_features.add("numpy")
        if len(found.stdout.split()) == 3:
            config.available_features.add("pip")
        config.substitutions += [("%python", python), ("%numpy", python)]
        break
else:
    config.substitutions.append(("%numpy", ""))
