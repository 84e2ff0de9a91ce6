# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxas.py ROOT CHIP FILE...: what ptxas, where there is one, has against files of PTX, how many of their kernels spill
registers, and how many waits it added."""

import os
import sys

root, chip, *files = sys.argv[1:]
sys.path.insert(0, os.path.join(root, 'utils'))
import check_gpu

ptxas = check_gpu.find_ptxas()
if not ptxas:
    sys.exit(print('ptxas: skipped, it is not installed'))
for path in files:
    problem, spills, waits = check_gpu.assemble(ptxas, path, chip)
    added = f', {waits} waits for products added' if waits else ''
    print(f'ptxas: {os.path.basename(path)}: {problem or "taken"}, {spills} kernels spill registers{added}')
