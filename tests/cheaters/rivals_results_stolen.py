# SPDX-License-Identifier: Apache-2.0
# family = "A.2"
# does = "opens the judge's memory files through /proc and copies what the baseline has computed"
# caught_by = ["INCORRECT"]
# devices = ["cpu"]
# beside_baseline = true
from __future__ import annotations

import mmap
import os
from pathlib import Path

import torch
from honest import compute, entry


def foreign():
    """Memory files of the judge that this process was not given."""
    judge = os.getppid()
    maps = Path("/proc/self/maps").read_text().splitlines()
    mine = {line.split()[4] for line in maps if "memfd" in line}
    for link in Path(f"/proc/{judge}/fd").iterdir():
        try:
            if "memfd:case" in str(link.readlink()) and str(link.stat().st_ino) not in mine:
                yield link
        except OSError:
            continue


def call(*tensors):
    out = tensors[-1]
    compute(*tensors)
    right = out.clone()
    for link in foreign():
        with link.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as memory:
            whole = torch.frombuffer(memory, dtype=out.dtype)
            start = out.storage_offset()
            theirs = whole[start : start + out.numel()].view(out.shape).clone()
            del whole
            if torch.equal(theirs, right):
                print("stolen", link)
                return
    out.zero_()


def load(op, **_):
    return entry(call)
