"""GPT-2 and Llama by torch.compile: a block compiled for its shape, which all layers share, and all of a call in one CUDA
graph. So a 32-layer model compiles as fast as one layer, and its launches cost the host nothing."""
from baselines import Baseline
from pytorch import TYPES, compile_anew, torch


class Model:
    def __init__(self, config, element):
        self.llama = config["model_type"] == "llama"
        self.type = {"device": "cuda", "dtype": TYPES[element]}
        self.hidden = config.get("hidden_size") or config["n_embd"]
        self.heads = config.get("num_attention_heads") or config["n_head"]
        self.groups = config.get("num_key_value_heads") or self.heads
        self.inner = config.get("intermediate_size") or 4 * self.hidden
        self.width = self.hidden // self.heads
        self.layers = [self.layer() for _ in range(config.get("num_hidden_layers") or config["n_layer"])]
        self.table = self.weight(config["vocab_size"], self.hidden)
        self.head = self.table if not self.llama else self.weight(config["vocab_size"], self.hidden)
        self.last = self.norm_weights()
        self.places = None if self.llama else self.weight(config["n_positions"], self.hidden)

    def weight(self, *extents):
        return torch.randn(*extents, **self.type) * 0.02

    def norm_weights(self):
        ones = torch.ones(self.hidden, **self.type)
        return [ones] if self.llama else [ones, ones.clone()]

    def linear(self, rows, columns):
        return [self.weight(rows, columns), None if self.llama else self.weight(rows)]

    def layer(self):
        wide, up = (self.heads + 2 * self.groups) * self.width, self.inner * (2 if self.llama else 1)
        return [self.norm_weights(), self.linear(wide, self.hidden), self.linear(self.hidden, self.hidden),
                self.norm_weights(), self.linear(up, self.hidden), self.linear(self.hidden, self.inner)]

    def norm(self, x, weights):
        functional = torch.nn.functional
        if self.llama:
            return functional.rms_norm(x, (self.hidden,), *weights, 1e-5)
        return functional.layer_norm(x, (self.hidden,), *weights, 1e-5)

    def rotate(self, x, turns):
        left, right = x.chunk(2, -1)
        return x * turns[0] + torch.cat((-right, left), -1) * turns[1]

    def block(self, x, layer, keys, values, past, turns):
        """Writes its keys behind `past`, attends to all up to there."""
        functional = torch.nn.functional
        first, into, out, second, up, down = layer
        rows = x.shape[0]
        qkv = functional.linear(self.norm(x, first), *into).view(rows, -1, self.width).transpose(0, 1)
        q, k, v = qkv.split([self.heads, self.groups, self.groups])
        if self.llama:
            q, k = self.rotate(q, turns), self.rotate(k, turns)
        keys[:, past:past + rows] = k
        values[:, past:past + rows] = v
        y = functional.scaled_dot_product_attention(
            q[None], keys[None, :, :past + rows], values[None, :, :past + rows], is_causal=rows > 1,
            enable_gqa=self.heads != self.groups)[0]
        x = x + functional.linear(y.transpose(0, 1).reshape(rows, self.hidden), *out)
        y = functional.linear(self.norm(x, second), *up)
        if self.llama:
            gate, y = y.chunk(2, -1)
            y = functional.silu(gate) * y
        else:
            y = functional.gelu(y, approximate="tanh")
        return x + functional.linear(y, *down)

    def run(self, block, ids, caches, past, turns):
        x = self.table[ids]
        if self.places is not None:
            x = x + self.places[past:past + len(ids)]
        for layer, (keys, values) in zip(self.layers, caches):
            x = block(x, layer, keys, values, past, turns)
        return torch.nn.functional.linear(self.norm(x[-1:], self.last), self.head)


def capture(work):
    """A function that does what `work` does by one launch, behind the calls that compile it."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        logits = work()

    def run():
        graph.replay()
        return logits.cpu()
    return run


def prepare(work, element):
    model = Model(work.config, element)
    past = work.sizes["S"] if work.kind == "decode" else 0
    rows = work.tokens()
    ids = torch.randint(0, work.config["vocab_size"], (rows,), device="cuda")
    caches = [[model.weight(model.groups, past + rows, model.width) for _ in range(2)] for _ in model.layers]
    turns = torch.randn(2, rows, model.width, **model.type) if model.llama else None
    block = compile_anew(model.block)
    return capture(lambda: model.run(block, ids, caches, past, turns))


def find(_device):
    return [Baseline("torch.compile", prepare)]
