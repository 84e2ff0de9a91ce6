"""words.py COUNT [MAX_LENGTH]: a vocabulary of BERT's special tokens and the words w5, w6, ...

With MAX_LENGTH as a tokenizer.json, which cuts texts to so many tokens.
"""
import json
import sys

words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + ["w%d" % i for i in range(5, int(sys.argv[1]))]
if len(sys.argv) == 2:
    print("\n".join(words))
else:
    tokenizer = {
        "truncation": {"max_length": int(sys.argv[2]), "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": {"strategy": "BatchLongest", "direction": "Right", "pad_id": 0, "pad_token": "[PAD]"},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {word: i for i, word in enumerate(words)}},
    }
    print(json.dumps(tokenizer))
