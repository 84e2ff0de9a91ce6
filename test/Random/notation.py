"""Other texts of the same model: functions for built-in ones, statements in `for`, `match` and `if` of compile time."""
import re

FUNCTIONS = ("clip", "abs", "tanh", "exp", "sqrt")  # their names stand before a parenthesis in calls only
PRELUDE = """
fn own_clip(x, low, high) = chosen("clip", x, low, high)
fn own_abs(x) = chosen("abs", x, 0, 0)
fn own_tanh(x) = chosen("tanh", x, null, null)
fn own_exp(x) = if 2 > 1 then exp(x) else log(x)
fn own_sqrt(x) = own(x)
fn own(x) = sqrt(x)
fn chosen(name, x, low, high) = match name {
  "clip" => clip(x, low, high),
  "abs" => abs(x),
  "tanh" => tanh(x)
}
"""
BLOCKS = (
    "for k_k in 3..4 {{ {} }}",
    "for k_k in 0..2 {{ if k_k == 1 {{ {} }} }}",
    'match "b" {{ "a" => {{ assert 1 > 2 }}, else => {{ {} }} }}',
    "if 2 * 3 == 6 {{ {} }} else {{ assert 1 > 2 }}",
)
PLAIN = re.compile(r"\s+(output )?\w+(\[[^\]]*\])? = ")


def rewritten(text, random):
    text = re.sub(rf"(?<![\w.])({'|'.join(FUNCTIONS)})\(", r"own_\1(", text)
    lines = [in_block(line, random) if PLAIN.match(line) else line for line in text.splitlines()]
    return "\n".join(lines) + PRELUDE


def in_block(line, random):
    if random.random() < 0.6:
        return line
    statement = line.lstrip()
    margin = line[: len(line) - len(statement)]
    return margin + random.choice(BLOCKS).format(statement)
