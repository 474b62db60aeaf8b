# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from bench.task.errors import ConfigError
from bench.task.parse import Parser, Range


@dataclass(frozen=True)
class Share:
    ratio: Annotated[float, Range(0, 1)]
    count: Annotated[int, Range(1)] | None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"ratio": 1.5, "count": None}, "x: ratio: expected at most 1, got 1.5"),
        ({"ratio": -0.5, "count": None}, "x: ratio: expected at least 0, got -0.5"),
        ({"ratio": 1, "count": 0}, "x: count: expected at least 1, got 0"),
        ({"ratio": 1, "count": 1.5}, "x: count: expected an integer, got 1.5"),
        ({"ratio": None, "count": 1}, "x: ratio: expected a number, got None"),
        ({"ratio": False, "count": 1}, "x: ratio: expected a number, got False"),
    ],
)
def test_a_limit_stands_beside_its_field(data, message):
    assert Parser("x", ConfigError).table(Share, {"ratio": 1, "count": None}) == Share(1.0, None)
    with pytest.raises(ConfigError) as caught:
        Parser("x", ConfigError).table(Share, data)
    assert str(caught.value) == message
