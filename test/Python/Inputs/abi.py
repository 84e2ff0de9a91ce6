"""Whether the structures of the package are those of the C headers.

  abi.py write FILE.c     writes a C program that prints names, sizes and offsets
  abi.py check < OUTPUT   compares what it printed
"""
import ctypes
import sys

from weft import _abi

STRUCTURES = ["weft_symbol_info", "weft_tensor_info", "weft_entry_info", "weft_step_info", "weft_model_info",
              "weft_weights"]
CONSTANTS = ["ABI_VERSION", "ABI_OLDEST", "OK", *(n for n in dir(_abi) if n.startswith("ERROR_")), "F32", "I32", "BOOL",
             "F16", "BF16", "I8", "U8"]


def lines():
    for name in STRUCTURES:
        structure = getattr(_abi, name)
        yield "sizeof(%s)" % name, ctypes.sizeof(structure)
        for field, kind in structure._fields_:
            yield "offsetof(%s, %s)" % (name, field), getattr(structure, field).offset
            yield "sizeof(((%s *)0)->%s)" % (name, field), ctypes.sizeof(kind)
    for name in CONSTANTS:
        yield "WEFT_" + name, getattr(_abi, name)


def write(path):
    with open(path, "w") as file:
        file.write('#include "weft/Runtime/weft_runtime.h"\n#include <stdio.h>\nint main(void) {\n')
        for expression, _ in lines():
            file.write('  printf("%%s %%lld\\n", "%s", (long long)(%s));\n' % (expression, expression))
        file.write("  return 0;\n}\n")


def check(output):
    expected = ["%s %d" % line for line in lines()]
    for ours, theirs in zip(expected, output):
        if ours != theirs:
            sys.exit("the package has %s, C has %s" % (ours, theirs))
    if len(expected) != len(output):
        sys.exit("%d lines, %d expected" % (len(output), len(expected)))
    print("%d lines agree" % len(expected))


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    check(sys.stdin.read().splitlines())
