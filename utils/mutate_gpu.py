#!/usr/bin/env python3
"""Says whether the emulator notices what is wrong in kernels for a GPU: changes their PTX, a place at a time, and runs each mutant.

Left out are barriers, fences, arrivals, waits for copies and products and commits of them, and what a warpgroup releases of
its registers, of which others may ask for more; bytes that do not exist are copied, too; the swizzle of shared memory is
another one, and so are in a matrix's descriptor swizzle, distance and start; an mbarrier is told of other bytes or arrivals,
or waited for in the other phase; bounds are one more, one less and a chunk less; a comparison of two registers has equality
or has it not, and of a minimum or maximum one operand is left. Of comparisons, minima and maxima that stand between the same
instructions, as masks of each element that a thread has, only the first and the last are changed. A mutant is refused if
weft-gpu-emu finds a fault, or a bit of the results differs. Of a bound one of these changes has to be: a kernel that is
launched for no other blocks does not notice that it would take one more. What one shape of a kernel does not notice is tried
with its others, at the place between the same instructions; what cannot matter is left alone, with the reason
(utils/gpu/mutants.py). Exits with 1 if anything is not refused.

usage: utils/mutate_gpu.py [--build build/release] [--only KERNEL]... [--jobs N] [--list]
"""
import argparse
import concurrent.futures
import difflib
import math
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "gpu"), os.path.join(os.path.dirname(HERE), *"test".split("/"))]
import tensorfile  # noqa: E402
from mutants import KERNELS  # noqa: E402

# The kind, what is looked for, what comes in its place (shorter or as long).
PLACES = [
    ("barrier", rb"bar\.(?:sync|arrive)\s*\d+(?:, \d+)?;|bar\.warp\.sync\s*-1;", [b""]),
    ("wait", rb"cp\.async(?:\.bulk)?\.wait_group(?:\.read)?\s*\d+;", [b""]),
    ("wait", rb"wgmma\.wait_group\.sync\.aligned \d+;|@!ended bra again;", [b""]),
    ("group", rb"cp\.async(?:\.bulk)?\.commit_group;|wgmma\.commit_group\.sync\.aligned;", [b""]),
    ("fence", rb"fence\.(?:mbarrier_init|proxy)[^;]*;|wgmma\.fence\.sync\.aligned;", [b""]),
    ("arrival", rb"mbarrier\.arrive\.shared\.b64 _, [^;]*;", [b""]),
    ("bytes", rb"mbarrier\.arrive\.expect_tx\.shared\.b64 (_, [^,]*), \d+;", [rb"mbarrier.arrive.shared.b64 \1;"]),
    ("zeros", rb"(cp\.async\.c[ag]\.shared\.global [^;]*, (\d+)), %\w+;", [rb"\1, \2;"]),
    # The comments are where the parity finds room.
    ("parity", rb"// begin inline asm(\s*\{\s*)\.reg \.pred ended;\s*again:\s*"
     rb"(mbarrier[^;]* ended, \[%\w+\], )(%\w+)(;[^}]*\})\s*// end inline asm",
     [rb"\1.reg .pred ended;.reg .b32 q;xor.b32 q,\3,1;again:\2q\4"]),
    *(("comparison", rb"setp\.%s(\.[su]\d+\s+%%p\d+, %%\w+, %%\w+;)" % one, [rb"setp.%s\1" % other])
      for one, other in ((b"lt", b"le"), (b"le", b"lt"), (b"gt", b"ge"), (b"ge", b"gt"))),
    ("clamp", rb"(?:min|max)(\.[su]\d+\s+%\w+, %\w+), [^;]*;", [rb"mov\1;"]),
    ("clamped", rb"(?:min|max)(\.[su]\d+\s+%\w+), %\w+(, %\w+);", [rb"mov\1\2;"]),
    ("clamp", rb"(?:min|max)\.relu(\.s32\s+%\w+, %\w+), [^;]*;", [rb"max\1, 0;"]),
    ("clamped", rb"(?:min|max)\.relu(\.s32\s+%\w+), %\w+(, %\w+);", [rb"max\1\2, 0;"]),
    ("registers", rb"setmaxnreg\.dec[^;]*;", [b""]),
    ("registers", rb"setmaxnreg\.dec([^;]*;)", [rb"setmaxnreg.inc\1"]),
    ("registers", rb"setmaxnreg\.inc([^;]*;)", [rb"setmaxnreg.dec\1"]),
    ("swizzle", rb"xor\.b32(?![^;]*-2147483648;)(?=[^;]*;)", [b"add.s32"]),  # a sign is turned by either
]
# Numbers that are one more or one less.
COUNT = re.compile(rb"mbarrier\.(?:init\.shared\.b64 [^;]*|arrive\.expect_tx\.shared\.b64 _, [^,]*), (\d+);")
# The constant part of a descriptor (lib/Codegen/GPU/MatrixDescriptor.h): the swizzle from bit 62 on, from 32 on the distance of eight rows, the start.
DESCRIPTOR = re.compile(rb"(?:add\.s64|or\.b64)[^;]*,\s*(\d{19});")
CHANGED_DESCRIPTORS = [("matrix swizzle", lambda number: number & ~(3 << 62)), ("matrix distance", lambda number: number ^ 1 << 37),
                       ("matrix start", lambda number: number ^ 2)]
REGISTERS = re.compile(rb"setmaxnreg[^;]*\.u32 (\d+);")
BOUND = re.compile(rb"setp\.(lt|le|gt|ge|ne|eq)\.[su](16|32|64)[^;]*,\s*(\d+);")

WITHOUT_NUMBERS = re.compile(rb"\$\w+|%[a-z]*\d+|\d+")
MANY = {"comparison", "clamp", "clamped"}  # masks of each element that a thread has, bounds of each row


def with_number(code, match, numbers, group):
    """The code with each of these in the place of the number, as far as there is room for them."""
    for number in numbers:
        text = str(number).encode()
        if number >= 0 and len(text) <= len(match[group]):
            yield code[:match.start(group)] + text.rjust(len(match[group])) + code[match.end(group):]


def mutants_of(code):
    """Kind, line, and the texts of mutants of which one has to be refused."""
    for kind, pattern, replacements in PLACES:
        for match in re.finditer(pattern, code):
            texts = [match.expand(text).ljust(len(match.group())) for text in replacements]
            yield kind, match, [code[:match.start()] + text + code[match.end():] for text in texts]
    changes = [("count", COUNT, 1, [one]) for one in (lambda number: number + 1, lambda number: number - 1)]
    changes += [(kind, DESCRIPTOR, 1, [one]) for kind, one in CHANGED_DESCRIPTORS]
    changes += [("registers", REGISTERS, 1, [lambda number: number + 8])]
    changes += [("bound", BOUND, 3, [lambda number: number + 1, lambda number: number - 1, lambda number: number - 8])]
    for kind, pattern, group, ways in changes:
        for match in pattern.finditer(code):
            texts = list(with_number(code, match, [change(int(match[group])) for change in ways], group))
            if texts:
                yield kind, match, texts


def context_of(body, match):
    """The instructions about a place, without registers and numbers: what other shapes of a kernel have, too."""
    before, after = (WITHOUT_NUMBERS.sub(b"", text).split(b"\n") for text in (body[:match.start()], body[match.end():]))
    return b"\n".join([*before[-3:], *after[:3]])


def chosen(changes):
    """Of these changes those that are tried: of many of one kind between the same instructions the first and the last."""
    changes = list(changes)
    places = {}
    for number, (entry, kind, _, text, context, _) in enumerate(changes):
        key = (entry, kind, WITHOUT_NUMBERS.sub(b"", text.encode()), context) if kind in MANY else number
        places.setdefault(key, []).append(number)
    return [changes[number] for number in sorted({numbers[end] for numbers in places.values() for end in (0, -1)})]


class Checker:
    def __init__(self, binaries, folder, kernel):
        self.binaries, self.folder, self.kernel = binaries, folder, kernel
        self.inputs, self.expected = (os.path.join(folder, name) for name in ("in.st", "out.st"))
        text = os.path.join(folder, "model.weft")
        with open(text, "w") as file:
            file.write(kernel.text)
        self.library = os.path.join(folder, "m.so")
        self.run("weftc", text, "--target=nvptx", "--march=" + kernel.march, "--name=m", *kernel.flags, "-o", self.library, check=True)
        numbers = random.Random(1)
        tensors = {name: ("I64", shape, [numbers.randrange(13) for _ in range(math.prod(shape))]) if name == "ids" else
                   ("F32", shape, [numbers.uniform(-1, 1) for _ in range(math.prod(shape))]) for name, shape in kernel.inputs.items()}
        for name, (_, shape, values) in tensors.items():
            if kernel.infinite:
                for row in range(1, len(values) // shape[-1], 2):
                    values[row * shape[-1]] = math.inf
        tensorfile.pack(self.inputs, tensors)
        self.run("weft-gpu-emu", "--", "weft-run", self.library, *kernel.arguments, "--inputs", self.inputs, "--outputs", self.expected, check=True)
        with open(self.library, "rb") as file:
            self.original = file.read()

    def run(self, tool, *arguments, check=False):
        environment = dict(os.environ, PATH=self.binaries + os.pathsep + os.environ["PATH"], WEFT_GPU_EMU_PROCESSORS=str(self.kernel.processors))
        return subprocess.run([tool, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                              cwd=self.folder, check=check).returncode

    def passes(self, number, code):
        path, results = (os.path.join(self.folder, f"mutant{number}.{suffix}") for suffix in ("so", "st"))
        with open(path, "wb") as file:
            file.write(code)
        try:
            if self.run("weft-gpu-emu", f"--seeds={self.kernel.seeds}", "--", "weft-run", path, *self.kernel.arguments,
                        "--inputs", self.inputs, "--outputs", results) != 0:
                return False
            with open(results, "rb") as file, open(self.expected, "rb") as expected:
                return file.read() == expected.read()
        finally:
            os.remove(path)

    def changes(self):
        """Entry, kind, line, what is changed, what is about it, and the libraries with mutants of which one has to be refused."""
        for entry in self.kernel.entries:
            start = self.original.index(b".entry " + entry.encode() + b"(")
            end = self.original.index(b"\0", start)  # inline assembly has blocks of its own
            following = self.original.find(b".entry ", start + 1, end)
            end = end if following < 0 else following
            body = self.original[start:end]
            harmless = set()
            for pattern in self.kernel.harmless:
                kind, _, code = pattern.rpartition(": ")
                harmless.update((kind, match.start()) for match in re.finditer(code.encode(), body))
            for kind, match, texts in mutants_of(body):
                spared = self.kernel.bounds is not None and (kind in MANY) != self.kernel.bounds
                if spared or harmless & {(kind, match.start()), ("", match.start())}:
                    continue
                yield (entry, kind, body[:match.start()].count(b"\n"), match.group().decode(), context_of(body, match),
                       [self.original[:start] + text + self.original[end:] for text in texts])

    def survivors(self, pool, changes):
        """The numbers of those of these changes that nobody notices."""
        if not self.passes("none", self.original):
            raise SystemExit(f"mutate_gpu.py: {self.kernel.name} does not give its own results")
        passed = pool.map(lambda one: all(self.passes(one[0], code) for code in one[1][5]), changes.items())
        return {number for number, survives in zip(changes, passed) if survives}


def same_places(first, other):
    """For changes of one shape the numbers of those at the same places of another."""
    keys = [[(entry, kind, context) for entry, kind, _, _, context, _ in changes] for changes in (first, other)]
    places = {}
    for _, a, after_a, b, after_b in difflib.SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        # Between the same ones as many of the same kinds are the same, too.
        if [key[:2] for key in keys[0][a:after_a]] == [key[:2] for key in keys[1][b:after_b]]:
            places.update(zip(range(a, after_a), range(b, after_b)))
    return places


def check(binaries, kernels, pool):
    """The shapes of a kernel: what the first one does not notice, another one may."""
    first = missed = None
    for kernel in kernels:
        with tempfile.TemporaryDirectory() as folder:
            checker = Checker(binaries, folder, kernel)
            changes = chosen(checker.changes())
            if first is None:
                first, missed = [(*change[:5], None) for change in changes], set(range(len(changes)))
            places = same_places(first, changes)
            tried = {places[number]: changes[places[number]] for number in missed if number in places}
            survivors = checker.survivors(pool, tried)
        missed = {number for number in missed if number not in places or places[number] in survivors}
        if not missed:
            break
    print(f"{kernels[0].name}: {len(first) - len(missed)} of {len(first)} changes are refused", flush=True)
    for entry, kind, line, text, _, _ in (first[number] for number in sorted(missed)):
        print(f"  not refused: {kind} in line {line} of {entry}: {text}")
    return len(missed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--only", action="append", help="kernels of these names")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    names = list(dict.fromkeys(kernel.name for kernel in KERNELS))
    if options.list:
        print(*names, sep="\n")
        return
    unknown = set(options.only or []) - set(names)
    if unknown:
        parser.error("no kernel " + ", ".join(sorted(unknown)))
    binaries = os.path.abspath(os.path.join(options.build, "bin"))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        survivors = sum(check(binaries, [kernel for kernel in KERNELS if kernel.name == name], pool)
                        for name in options.only or names)
    sys.exit(survivors > 0)


if __name__ == "__main__":
    main()
