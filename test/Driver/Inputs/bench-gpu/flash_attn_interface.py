"""Stands in for FlashAttention 3: it does nothing for full attention, fails for causal, and ends the process for a softcap."""
import os


def flash_attn_func(q, k, v, causal=False, window_size=None, softcap=0.0):
    if softcap:
        os._exit(7)
    if causal:
        raise RuntimeError("no kernel image is available\nand more of that")


def flash_attn_with_kvcache(q, k, v):
    pass
