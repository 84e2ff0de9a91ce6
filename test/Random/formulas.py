"""Random formulas, calls of random modules, and what an entry puts out."""
from build import binary, index, literal, read, real, reduce
from frames import ModuleFrame
from program import Call, Module
from scalars import CALM, Scope
from trees import Index, Reduction, Tensor


def random_formula(frame, depth=3):
    random = frame.random
    dims = frame.small(random.sample(frame.dims, min(len(frame.dims), random.choice([0, 1, 1, 2, 2, 2, 3]))))
    if dims and random.random() < 0.2:
        dims = frame.small(dims + [random.choice(dims)])
    indices = frame.indices(dims)
    volume = 1
    for dim in dims:
        volume *= dim.bound
    scope = Scope(indices, volume)
    kind = random.choices(["real", "int", "bool", "argtop", "logarithms"], [16, 3, 1, 2, 1])[0]
    if kind == "argtop":
        return argtop(frame, indices, scope)
    if kind == "logarithms" and indices:
        return logarithms(frame, indices, scope)
    kind = "real" if kind == "logarithms" else kind
    tree = getattr(frame.scalars, kind)(scope, depth if kind == "real" else 2)
    if not indices and not any(node.op == "read" for node in tree.walk()):
        tree = frame.scalars.read("real", scope)  # a number of the text is no tensor
    return frame.define(indices, tree)


def argtop(frame, indices, scope):
    """The places of the largest elements: by one more index, shorter than the one that is compared, or one of them."""
    random = frame.random
    dim = random.choice(frame.dims)
    count = 1 if dim.dynamic else random.randint(1, min(3, dim.bound))
    names = frame.index_names({i.name for i in indices})
    place, compared = Index(names[0], frame.new_dim(count)), Index(names[1], dim)
    several = random.random() < 0.8
    inner = scope.inside([place, compared])
    if inner.volume > frame.budget:
        return random_formula(frame, 1)
    operand = frame.scalars.read("real", Scope([*indices, compared], inner.volume, False, {place.name}))
    if not any(node.op == "index" and node.data is compared for node in operand.walk()):
        return random_formula(frame, 1)
    if random.random() < 0.4:
        taken = {place.name, *(i.name for i in indices)}  # no reduction in it may use them again
        other = frame.scalars.real_leaf(Scope([compared], 1, False, taken))
        operand = frame.scalars.calm(binary(random.choice("+-*"), operand, other))
    asked = index(place) if several else literal(random.randrange(count))
    tree = reduce(Reduction("argtop", [compared]), operand, None, 0, dim.bound - 1, asked)
    return frame.define([*indices, place] if several else indices, tree)


def logarithms(frame, indices, scope):
    """A masked logsoftmax, whose elements may be minus infinity, alone or with another softmax over it."""
    axis = frame.random.choice(indices)
    where = frame.scalars.bool(scope.guarded(), 1)
    tree = reduce(Reduction("logsoftmax", [axis], True), real(frame.scalars.real(scope.guarded(), 1)), where, 0, 0)
    first = frame.define(indices, tree)
    frame.tensors.remove(first)  # nothing else reads infinities
    if frame.random.random() < 0.5:
        return first
    again = read(first, [index(i) for i in indices])
    name = frame.random.choice(["softmax", "logsoftmax"])
    second = frame.define(indices, reduce(Reduction(name, [axis]), again, None, 0, 1))
    if name == "logsoftmax":
        frame.tensors.remove(second)
    return second


def random_module(frame, program, depth):
    """A module over some of the dimensions at hand; it may call the ones before it."""
    random = frame.random
    dims = frame.small(random.sample(frame.dims, min(len(frame.dims), random.choice([1, 2, 2]))))
    module = Module(f"M{len(program.modules)}")
    inner = ModuleFrame(random, dims, frame.counter, program, module)
    for _ in range(random.choice([1, 2, 3])):
        if depth and program.modules and random.random() < 0.3:
            random_call(inner, program)
        else:
            random_formula(inner, 2)
    if not inner.statements:
        random_formula(inner, 2)
    defined = [tensor for statement in inner.statements for tensor in statement.defines()]
    module.returns = defined[-1:] + random.sample(defined[:-1], min(len(defined) - 1, random.choice([0, 0, 1])))
    module.statements = inner.statements
    program.modules.append(module)
    return module


def random_call(frame, program):
    """Of a module whose dimensions are all here; mapped over new indices, or once."""
    random = frame.random
    known = set(frame.dims)
    found = [m for m in program.modules if all(dim in known for tensor in m.arguments for dim in tensor.dims)]
    if not found:
        return None
    module = random.choice(found)
    inner = {dim for tensor in module.arguments for dim in tensor.dims}
    volume = max(tensor.volume() for tensor in module.arguments + module.returns)
    outer = [dim for dim in frame.dims if dim not in inner and dim.bound * volume <= 700 and dim.bound <= 8]
    indices = frame.indices(random.sample(outer, 1)) if outer and random.random() < 0.4 else []
    arguments = [argument(frame, tensor, indices, k == 0) for k, tensor in enumerate(module.arguments)]
    results = [
        Tensor(frame.name("z"), [*(i.dim for i in indices), *tensor.dims], tensor.kind, tensor.low, tensor.high)
        for tensor in module.returns
    ]
    scope = frame.name("s") if random.random() < 0.8 or not module.parts()[1] else ""
    frame.statements.append(Call(results, indices, module, arguments, scope))
    frame.tensors += results
    return results[0]


def argument(frame, wanted, indices, must_vary):
    """A tensor for a parameter of a module; one of a mapped call has the call's indices before its dimensions."""
    places = list(indices) if must_vary or frame.random.random() < 0.5 else []
    dims = (*(i.dim for i in places), *wanted.dims)
    found = [
        tensor
        for tensor in frame.tensors
        if tensor.dims == dims and tensor.kind == wanted.kind and fits(tensor, wanted) and frame.readable(tensor)
    ]
    if found and frame.random.random() < 0.75:
        return frame.random.choice(found), places
    low, high = (wanted.low, wanted.high) if wanted.kind == "int" else (None, None)
    return frame.leaf(wanted.kind, dims, low, high, whole=True), places


def fits(tensor, wanted):
    if wanted.kind == "real":
        return tensor.magnitude() <= CALM
    return wanted.low <= tensor.low and tensor.high <= wanted.high
