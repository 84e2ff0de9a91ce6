"""A call, steps of a sequence and of its copy, and texts agree: device.py MODEL.so"""
import sys

import numpy as np
import weft

model = weft.load(sys.argv[1])
ids = np.arange(5)
whole = model(input_ids=ids)
state = model.state()
state.step(input_ids=ids[:3])
fork = state.copy()
np.testing.assert_allclose(state.step(input_ids=ids[3:]), whole[3:], atol=1e-4)
np.testing.assert_allclose(fork.step(input_ids=ids[3:], last=True), whole[4], atol=1e-4)
np.testing.assert_array_equal(model.generate(ids, 3), model.generate(ids, 3, cache=False))
print("agree")
