# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptxas.py ROOT CHIP FILE[=[NAME:]REGISTERS]... [--allow-waits] [--allow-spills=KERNEL]: holds files of PTX to what ptxas says of them, where
there is one. Exit status 1 if it does not take one, if a kernel of any of them spills registers or (of those whose name ends so) has more of a
thread than are given, or if it adds waits for products of warpgroups, unless these are allowed."""

import argparse
import os
import sys

parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument('root')
parser.add_argument('chip')
parser.add_argument('files', nargs='+')
parser.add_argument('--allow-waits', action='store_true')
parser.add_argument('--allow-spills', action='append', default=[])
options = parser.parse_args()
sys.path.insert(0, os.path.join(options.root, 'utils'))
import check_gpu

ptxas = check_gpu.find_ptxas()
if not ptxas:
    sys.exit(print('ptxas: skipped, it is not installed'))
status = 0
for path, _, most in (file.partition('=') for file in options.files):
    assembled = check_gpu.assemble(ptxas, path, options.chip)
    problems = [assembled.problem] if assembled.problem else []
    if not problems and not assembled.registers:
        problems.append('ptxas says nothing of registers')
    spills = [kernel for kernel in assembled.spills if kernel not in options.allow_spills]
    if spills:
        problems.append(f'{", ".join(spills)} spill registers')
    if assembled.waits and not options.allow_waits:
        problems.append(f'{assembled.waits} waits for products added')
    if most:
        end, _, most = most.rpartition(':')
        bound = {kernel: count for kernel, count in assembled.registers.items() if kernel.endswith(end)}
        problems += [f'{kernel} has {count} registers, not {most} at most' for kernel, count in bound.items() if count > int(most)]
        problems += [] if bound else [f'no kernel ends in {end}']
    status |= bool(problems)
    added = f', {assembled.waits} waits for products added' if options.allow_waits else ''
    print(f'ptxas: {os.path.basename(path)}: {"; ".join(problems) or "taken"}{added}')
sys.exit(status)
