"""bytes.py TOKENIZER_JSON PRE OUTPUT: the keys of a GGUF file with this byte-level vocabulary."""
import json
import sys

with open(sys.argv[1]) as file:
    tokenizer = json.load(file)
vocabulary = tokenizer["model"]["vocab"]
tokens = sorted(vocabulary, key=vocabulary.get)
assert [vocabulary[token] for token in tokens] == list(range(len(tokens)))
keys = {
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": sys.argv[2],
    "tokenizer.ggml.tokens": tokens,
    "tokenizer.ggml.token_type": [1] * len(tokens),
    "tokenizer.ggml.merges": [m if isinstance(m, str) else " ".join(m) for m in tokenizer["model"]["merges"]],
    "tokenizer.ggml.eos_token_id": 27,
    "tokenizer.chat_template": "{{ messages }}",
}
with open(sys.argv[3], "w") as file:
    json.dump(keys, file)
