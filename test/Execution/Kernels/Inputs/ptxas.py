# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxas.py ROOT CHIP FILE[=REGISTERS]...: what ptxas, where there is one, has against files of PTX, how many of their kernels spill
registers, and how many waits it added; exit status 1 if it takes one not, or a kernel has more registers than that of a thread."""

import os
import sys

root, chip, *files = sys.argv[1:]
sys.path.insert(0, os.path.join(root, 'utils'))
import check_gpu

ptxas = check_gpu.find_ptxas()
if not ptxas:
    sys.exit(print('ptxas: skipped, it is not installed'))
status = 0
for path, _, most in (file.partition('=') for file in files):
    assembled = check_gpu.assemble(ptxas, path, chip)
    problems = [assembled.problem] if assembled.problem else []
    if most and not assembled.registers:
        problems.append('ptxas says nothing of registers')
    if most:
        problems += [f'{kernel} has {count} registers, not {most} at most' for kernel, count in assembled.registers.items() if count > int(most)]
    status |= bool(problems)
    added = f', {assembled.waits} waits for products added' if assembled.waits else ''
    print(f'ptxas: {os.path.basename(path)}: {"; ".join(problems) or "taken"}, {assembled.spills} kernels spill registers{added}')
sys.exit(status)
