"""A whole program as Weft text, and as Python that evaluates it."""
import random as randomness

import reals
import reductions
from notation import rewritten
from program import Formula, type_text
from python_code import variable
from storage import kept


def weft(program):
    every = [program.parts(entry) for entry in program.entries]
    needed = set().union(*(found for _, found in every))
    names = [dim for dim in program.dims if dim.named]
    lines = ["model M() {"]
    for dim in names:
        lines.append(f"  dim {dim.name} {'<=' if dim.dynamic else '='} {dim.bound}")
    lines += ["  " + x.text(names) for x in program.inputs if x.tensor in needed]
    lines += [f"  param {w.name}: {type_text(w, names)}" for w in program.weights if w in needed]
    outputs = [] if program.entries[0].name else program.entries[0].outputs
    for statement in program.shared:
        if any(statement in statements for statements, _ in every):
            lines += statement_lines(statement, names, outputs, "  ")
    for entry, (statements, _) in zip(program.entries, every):
        lines += entry_lines(program, entry, statements, names)
    for module in program.modules_of():
        lines += [""] + module.text()
    text = "\n".join(lines) + "\n"
    return text if program.rewriting is None else rewritten(text, randomness.Random(program.rewriting))


def statement_lines(statement, names, outputs, margin):
    """A formula that is put out says so at once; the results of calls, which have no place for it, below."""
    put_out = [tensor for tensor in statement.defines() if tensor in outputs]
    if isinstance(statement, Formula) and not statement.buffer:
        return [margin + statement.text(names, bool(put_out))]
    return [margin + statement.text(names)] + [f"{margin}output {tensor.name}" for tensor in put_out]


def entry_lines(program, entry, statements, names):
    own = [statement for statement in statements if statement not in program.shared]
    margin = "    " if entry.name else "  "
    lines = [f"  entry {entry.name}() {{"] if entry.name else []
    for statement in own:
        lines += statement_lines(statement, names, entry.outputs, margin)
    defined = {tensor for statement in own for tensor in statement.defines()}
    if not entry.name:
        defined |= {tensor for statement in program.shared for tensor in statement.defines()}
    lines += [f"{margin}output {tensor.name}" for tensor in entry.outputs if tensor not in defined]
    if program.generates:
        lines.append(f"{margin}generate {program.generates[0].name} over {program.generates[1].name}")
    return lines + ["  }"] * bool(entry.name) + ["}"] * (entry is program.entries[-1])


def python(program, entry):
    """Python that computes an entry: `inputs` and `weights` are nested lists by name, n_X the sizes of dimensions."""
    lines = []
    for module in program.modules_of():
        lines += module.python()
    lines += ["def run(inputs, scope=''):"]
    statements, needed = program.parts(entry)
    body = []
    for x in program.inputs:
        if x.tensor in needed:
            body += input_lines(x)
    body += [f"{variable(w)} = weights[{w.name!r}]" for w in program.weights if w in needed]
    for statement in statements:
        body += statement.python()
    results = ", ".join(f"{tensor.name!r}: {as_stored(tensor)}" for tensor in entry.outputs)
    return "\n".join(lines + ["    " + line for line in body + [f"return {{{results}}}"]]) + "\n"


def as_stored(tensor):
    return f"kept({variable(tensor)}, {tensor.stored!r})" if tensor.stored else variable(tensor)


def input_lines(x):
    name = variable(x.tensor)
    lines = [f"given_{name} = {x.tensor.name!r} in inputs"]
    if x.default is None:
        return lines + [f"{name} = inputs[{x.tensor.name!r}]"]
    if isinstance(x.default, Formula):
        return lines + x.default.python() + [f"{name} = inputs.get({x.tensor.name!r}, {name})"]
    value = f"Real({float(x.default)!r})" if x.tensor.kind == "real" else repr(x.default)
    for dim in reversed(x.tensor.dims):
        value = f"[{value}] * n_{dim.name}"
    return lines + [f"{name} = inputs.get({x.tensor.name!r}, {value})"]


class Evaluation:
    """Programs as Python functions, with the weights and the sizes of the dimensions. `noted` sees what formulas give."""

    def __init__(self, program, weights, noted):
        self.names = {**vars(reductions), **vars(reals), "weights": weights, "noted": noted, "kept": kept}
        self.names.update(BUILTINS)
        self.program = program

    def results(self, entry, sizes, inputs):
        names = {**self.names, **{"n_" + name: size for name, size in sizes.items()}}
        exec(compile(python(self.program, entry), "<program>", "exec"), names)
        return names["run"](inputs)


# What `reals` might hide.
BUILTINS = {"max": max, "min": min, "sum": sum, "abs": abs, "range": range, "float": float}


