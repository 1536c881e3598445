"""How many threads torch works with."""

from __future__ import annotations

import torch


def use_threads(number: int) -> None:
    """Let torch work with `number` threads, after MKL has chosen its kernels in one.

    MKL's mathematics of vectors (torch's log, exp, ...) looks at the processor when it is first called. Of two threads
    that call it first at once, one may compute with another kernel, and so with other last bits: in 35 of 7,175
    processes that aligned words, in none of 9,072 after a call in one thread.
    """
    torch.set_num_threads(1)
    torch.log(torch.ones(1))
    torch.set_num_threads(number)
