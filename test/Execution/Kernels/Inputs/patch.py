# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""patch.py LIBRARY RESULT KERNEL FROM=TO : changes the PTX of one kernel in a library, everywhere at once, and says in how many places. FROM is a
regular expression, TO is as long as what it finds, or shorter."""

import os
import re
import shutil
import sys

library, result, kernel, change = sys.argv[1:]
with open(library, 'rb') as file:
    code = file.read()
start = code.index(b'.entry ' + kernel.encode() + b'(')
end = min(place for place in (code.find(b'.entry ', start + 1), code.index(b'\0', start)) if place >= 0)
pattern, replacement = change.encode().rsplit(b'=', 1)


def change_one(match):
    text = match.expand(replacement).ljust(len(match.group()))
    if len(text) != len(match.group()):
        sys.exit(f'{change}: {text} is longer than {match.group()}')
    return text


body, count = re.subn(pattern, change_one, code[start:end])
shutil.copy(library, result)
with open(result, 'wb') as file:
    file.write(code[:start] + body + code[end:])
weights = os.path.splitext(library)[0] + '.weights'
if os.path.exists(weights):
    shutil.copy(weights, os.path.splitext(result)[0] + '.weights')
print(count, 'places are changed')
