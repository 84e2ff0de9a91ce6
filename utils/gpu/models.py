"""Language models that GPU code is timed on: sizes of published ones, made-up weights, room for 4096 positions."""
import os
import sys
from typing import NamedTuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peers"))
import workloads  # noqa: E402

ROOM = 4096
GPT2 = dict(workloads.CONFIGS["gpt2"], n_positions=ROOM)
LLAMA_1B = dict(workloads.TINYLLAMA, max_position_embeddings=ROOM)
LLAMA_8B = dict(workloads.TINYLLAMA, vocab_size=128256, hidden_size=4096, num_hidden_layers=32, num_attention_heads=32,
                num_key_value_heads=8, intermediate_size=14336, max_position_embeddings=ROOM, rope_theta=500000.0)
CONFIGS = {"GPT-2": GPT2, "Llama 1B": LLAMA_1B, "Llama 8B": LLAMA_8B}
TINY_CONFIGS = {
    "tiny GPT-2": dict(GPT2, vocab_size=50, n_embd=16, n_layer=1, n_head=2, n_positions=16),
    "tiny Llama": dict(LLAMA_1B, vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                       num_key_value_heads=1, intermediate_size=24, max_position_embeddings=16),
}


class Model(NamedTuple):
    """Work on a model: what is timed is the prompt to the logits of its last position, or one more token behind it."""
    name: str
    what: str      # the model: those of one `what` and type share what is compiled
    config: dict
    kind: str      # prefill or decode, as run_weft.prepare_step has it
    sizes: dict

    def tokens(self):
        return 1 if self.kind == "decode" else self.sizes["S"]

    def rate(self, _element, milliseconds):
        return 1e3 * self.tokens() / milliseconds, "tokens/s"

    def is_first(self):
        """The others wait: torch.compile takes the most of their time."""
        return self.sizes["S"] <= 512

    def target(self, _element, _rate):
        return "1.5 x torch.compile"

    def types(self):
        """8B in f32 is 32 GB that have to be written, read and copied twice, and nobody runs it so."""
        return ("bf16",) if self.what == "Llama 8B" else ("f32", "bf16")


def models(configs, lengths):
    for what, config in configs.items():
        for length in lengths:
            yield Model(f"{what} prefill {length}", what, config, "prefill", {"S": length})
            yield Model(f"{what} decode at {length}", what, config, "decode", {"S": length})


def all_models():
    return models(CONFIGS, (512, 2048))


def tiny_models():
    return models(TINY_CONFIGS, (5,))
