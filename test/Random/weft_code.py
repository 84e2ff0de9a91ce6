"""Trees as Weft text, with parentheses where the grammar needs them."""
# How tightly an operator binds, and its grouping; see the table of docs/Language.md, 3.
LEVELS = {"or": 2, "and": 3, "not": 4, "+": 6, "-": 6, "*": 7, "/": 7, "//": 7, "%": 7, "neg": 8, "reduce": 8, "^": 9}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
LEVELS.update({sign: 5 for sign in COMPARISONS})
ATOM = 10


def level(node):
    if node.op == "if":
        return 0
    if node.op == "real":
        return ATOM if node.data else level(node.children[0])
    if node.op == "literal" and node.kind != "bool" and node.data < 0:
        return LEVELS["neg"]
    return LEVELS.get(node.op, ATOM)


def number(value):
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, int) else f"{value:.10f}".rstrip("0") + ("0" if value == int(value) else "")


class WeftText:
    """Writes a tree as Weft. `names` are the dimensions that have a name where it stands; others are numbers."""

    def __init__(self, names, explicit=()):
        self.names = {dim.name for dim in names}
        self.explicit = set(explicit)

    def dim(self, dim):
        return dim.name if dim.name in self.names else str(dim.bound)

    def at_least(self, node, needed):
        text = self.text(node)
        return text if level(node) >= needed else f"({text})"

    def text(self, node):
        return getattr(self, "text_" + node.op, self.text_binary)(node)

    def text_literal(self, node):
        return number(node.data)

    def text_index(self, node):
        return node.data.name

    def text_dim(self, node):
        return self.dim(node.data)

    def text_read(self, node):
        places = ", ".join(self.text(child) for child in node.children)
        return f"{node.data.name}[{places}]" if places else node.data.name

    def text_given(self, node):
        return f"given({node.data.name})"

    def text_real(self, node):
        inner = self.text(node.children[0])  # an integer becomes a real where a real stands on the other side
        return f"real({inner})" if node.data else inner

    def text_call(self, node):
        return f"{node.data}({', '.join(self.text(child) for child in node.children)})"

    def text_neg(self, node):
        return "-" + self.at_least(node.children[0], LEVELS["^"])

    def text_not(self, node):
        return "not " + self.at_least(node.children[0], LEVELS["not"])

    def text_if(self, node):
        test, yes, no = node.children
        return f"if {self.text(test)} then {self.at_least(yes, 1)} else {self.text(no)}"

    def text_binary(self, node):
        left, right = node.children
        own = LEVELS[node.op]
        comparison, power = node.op in COMPARISONS, node.op == "^"
        # A reduction takes the rest of a product, so that it can only end one.
        swallows = own >= LEVELS["*"] and any(inner.op == "reduce" for inner in rightmost(left))
        first = self.at_least(left, ATOM if swallows else own + (comparison or power))
        second = self.at_least(right, own + (not power))
        return f"{first} {node.op} {second}"

    def text_reduce(self, node):
        reduction = node.data
        binders = ", ".join(map(self.binder, reduction.indices))
        if reduction.name == "argtop":
            binders += ", " + self.text(node.children[-1])
        where = f" where {self.text(node.children[1])}" if reduction.where else ""
        # 'max(s, t) -x' would be a difference of a call.
        needed = LEVELS["^"] if begins_with_minus(node.children[0]) else LEVELS["*"]
        return f"{reduction.name}({binders}{where}) {self.at_least(node.children[0], needed)}"

    def binder(self, index):
        return f"{index.name}: {self.dim(index.dim)}" if index in self.explicit else index.name


def begins_with_minus(node):
    """Whether the text of a node begins with a minus."""
    while node.op in ("+", "-", "*", "/", "//", "%", "^"):
        node = node.children[0]
    return node.op == "neg" or node.op == "literal" and node.data < 0


def rightmost(node):
    """A node and those at the right end of its text without parentheses."""
    yield node
    while node.op in ("+", "-", "*", "/", "//", "%", "neg", "^"):
        node = node.children[-1]
        yield node
