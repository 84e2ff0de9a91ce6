# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mutate.py LIBRARY INPUTS EXPECTED KERNEL FROM=TO... : changes the PTX of one kernel in a library, a place at a time, and runs it in the
emulator, which must not give what is expected, as it does unchanged. FROM is a regular expression, TO is as long as what it finds, or
shorter."""

import glob
import os
import re
import shutil
import subprocess
import sys

library, inputs, expected, kernel, *changes = sys.argv[1:]
with open(library, 'rb') as file:
    original = file.read()
start = original.index(b'.entry ' + kernel.encode() + b'(')
end = min(place for place in (original.find(b'.entry ', start + 1), original.index(b'\0', start)) if place >= 0)
os.makedirs('mutant', exist_ok=True)
for beside in glob.glob(os.path.splitext(library)[0] + '.*'):
    shutil.copy(beside, 'mutant')
mutant = os.path.join('mutant', os.path.basename(library))


def runs(code):
    with open(mutant, 'wb') as file:
        file.write(code)
    command = ['weft-gpu-emu', '--', 'weft-run', mutant, '--inputs', inputs, '--expect', expected]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


if not runs(original):
    sys.exit(f'{library} does not give {expected}')
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
        if runs(original[:start + match.start()] + text + original[start + match.end():]):
            missed.append(f'{change}, place {number} of {len(found)}')
        else:
            refused += 1
for line in missed:
    print('not refused:', line)
print(refused, 'changes are refused')
sys.exit(bool(missed))
