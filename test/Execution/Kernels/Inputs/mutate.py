# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mutate.py LIBRARY INPUTS EXPECTED KERNEL FROM=TO... : changes the PTX of one kernel in a library, a place at a time, and runs it in the
emulator, which must not give what is expected. FROM is a regular expression, TO is as long as what it finds, or shorter."""

import re
import subprocess
import sys

library, inputs, expected, kernel, *changes = sys.argv[1:]
with open(library, 'rb') as file:
    original = file.read()
start = original.index(b'.entry ' + kernel.encode() + b'(')
end = original.index(b'ret;', start)

refused, missed = 0, []
for change in changes:
    pattern, replacement = change.encode().rsplit(b'=', 1)
    found = list(re.finditer(pattern, original[start:end]))
    if not found:
        missed.append(f'nothing is like {change}')
    for number, match in enumerate(found):
        text = match.expand(replacement).ljust(len(match.group()))
        if len(text) != len(match.group()):
            sys.exit(f'{change}: {text} is longer than {match.group()}')
        with open('mutant.so', 'wb') as file:
            file.write(original[:start + match.start()] + text + original[start + match.end():])
        run = subprocess.run(['weft-gpu-emu', '--', 'weft-run', './mutant.so', '--inputs', inputs, '--expect', expected], capture_output=True)
        if run.returncode == 0:
            missed.append(f'{change}, place {number} of {len(found)}')
        else:
            refused += 1
for line in missed:
    print('not refused:', line)
print(refused, 'changes are refused')
sys.exit(bool(missed))
