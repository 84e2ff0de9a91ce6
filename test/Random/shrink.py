"""Makes a failing program small: fewer outputs and entries, parts instead of expressions, while it still fails."""
import copy

from build import literal
from program import Formula
from trees import Node


def shrunk(program, fails, rounds=400):
    """The smallest program found for which `fails` still holds; at most so many attempts."""
    attempts = iter(range(rounds))
    changed = True
    while changed:
        changed = False
        for smaller in candidates(program):
            if next(attempts, None) is None:
                return program
            if fails(smaller):
                program, changed = smaller, True
                break
    return program


def candidates(program):
    """Programs that are one step smaller, large steps first."""
    for k in range(len(program.entries)):
        if len(program.entries) > 1:
            yield changed(program, lambda p: p.entries.pop(k))
    for k, entry in enumerate(program.entries):
        for j, output in enumerate(entry.outputs):
            if len(entry.outputs) > 1:
                yield changed(program, lambda p: p.entries[k].outputs.pop(j))
    for k, entry in enumerate(program.entries):
        for tensor in earlier(program, entry):
            yield changed(program, lambda p: put_out(p, k, tensor.name))
    for k, formula in enumerate(formulas(program)):
        for j, part in enumerate(parts(formula.tree)):
            yield changed(program, lambda p: replace(formulas(p)[k], j))


def changed(program, change):
    result = copy.deepcopy(program)
    change(result)
    return result


def formulas(program):
    """The formulas that are needed."""
    found = []
    for entry in program.entries:
        found += [s for s in program.parts(entry)[0] if isinstance(s, Formula) and s not in found]
    for module in program.modules_of():
        found += [s for s in module.parts()[0] if isinstance(s, Formula)]
    return found


def earlier(program, entry):
    """What could be put out instead of an entry's results."""
    if program.generates:
        return []
    return [x for s in program.parts(entry)[0] for x in s.defines() if x not in entry.outputs and not is_buffer(s)]


def is_buffer(statement):
    return isinstance(statement, Formula) and statement.buffer


def put_out(program, place, name):
    entry = program.entries[place]
    entry.outputs = [x for s in program.parts(entry)[0] for x in s.defines() if x.name == name]


def parts(tree):
    """(node, what may stand in its place): a child of its kind, or a number."""
    result = []
    for node in tree.walk():
        for child in node.children:
            if child.kind == node.kind and node.op not in ("literal", "reduce"):
                result.append((node, child))
        if node.op not in ("literal", "index", "dim", "read") and node.kind in ("real", "int"):
            result.append((node, literal(1.0 if node.kind == "real" else 1)))
        if node.op == "reduce" and node.data.where:
            result.append((node, None))
    return result


def replace(formula, place):
    wanted, part = parts(formula.tree)[place]
    formula.tree = rebuilt(formula.tree, wanted, part)


def rebuilt(node, wanted, part):
    if node is wanted:
        return without_predicate(node) if part is None else part
    return node.with_children([rebuilt(child, wanted, part) for child in node.children])


def without_predicate(node):
    reduction = copy.copy(node.data)
    reduction.where = False
    return Node(node.op, node.kind, node.children[:1], reduction, node.low, node.high)
