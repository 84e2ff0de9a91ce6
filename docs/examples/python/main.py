# Writes text with the demo model: weftc docs/examples/bible -o bible/ && python3 main.py bible
import sys

import weft

model = weft.load(sys.argv[1])                      # a library, or the folder that weftc made
prompt = list(b"In the beginning ")
logits = model(input_ids=prompt)                    # one result: an array; several: a dictionary
text = model.generate(prompt, 30, temperature=0.8, top_k=40, seed=1)
print(bytes(text.tolist()).decode())

state = model.state()
rows = state.step(input_ids=prompt[:7])             # a row for each new position
fork = state.copy()
row = fork.step(input_ids=prompt[7:], last=True)    # of the last position alone
print(rows.shape, row.shape, abs(row - logits[-1]).max() < 1e-4)
