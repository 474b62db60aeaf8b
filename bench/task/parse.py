# SPDX-License-Identifier: Apache-2.0
"""Plain data into frozen dataclasses: every key is required and no other is taken."""

from __future__ import annotations

import math
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from typing import TypeVar

from bench.task.errors import UserError, suggest

Parsed = TypeVar("Parsed")
KINDS = {bool: "true or false", int: "an integer", float: "a number", str: "a string"}


@dataclass(frozen=True)
class Range:
    """Annotates a number: not below `smallest`, not above `largest`."""

    smallest: float
    largest: float = math.inf


@dataclass(frozen=True)
class OneOf:
    """Annotates a string out of a closed list."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Pattern:
    """Annotates a string that `regex` matches as a whole; `meaning` says in an error what it is."""

    regex: str
    meaning: str


def file_fields(cls: type[object]) -> list[str]:
    """Names of the fields that a file holds: those without a default."""
    return [
        one.name
        for one in fields(typing.cast("type[typing.Any]", cls))
        if one.default is MISSING and one.default_factory is MISSING
    ]


def show(value: object) -> str:
    """A value as an error prints it, never longer than a line."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, int) and value.bit_length() > 64:
        return f"one of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


@dataclass(frozen=True)
class Parser:
    """Parses one source; every error names it and is of its type."""

    source: str
    error: type[UserError]

    def table(self, cls: type[Parsed], data: object, at: str = "") -> Parsed:
        """Build `cls`, or raise a sentence that names the key, what was expected and what came."""
        if not isinstance(data, Mapping):
            raise self.wrong(at or "top level", "a table", data)
        known = file_fields(cls)
        for key in data:
            if key not in known:
                near = suggest(key, known, _join(at, ""))
                raise self.error(f"{self.source}: unknown key {show(_join(at, key))[1:-1]}; {near}")
        for key in known:
            if key not in data:
                raise self.error(f"{self.source}: missing key {_join(at, key)}; add it")
        hints = typing.get_type_hints(cls, include_extras=True)
        return cls(**{key: self._value(hints[key], data[key], _join(at, key)) for key in known})

    def wrong(self, key: str, expected: str, got: object) -> UserError:
        """The error for a value that cannot be."""
        return self.error(f"{self.source}: {key}: expected {expected}, got {show(got)}")

    def _value(self, kind: typing.Any, value: object, key: str) -> object:  # noqa: ANN401 - no static type for a type form
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if origin is typing.Annotated:
            return self._limited(self._value(arguments[0], value, key), arguments[1], key)
        if origin in (types.UnionType, typing.Union):  # the one union in use: something or null
            return None if value is None else self._value(arguments[0], value, key)
        if origin is tuple:
            if not isinstance(value, list):
                raise self.wrong(key, "a list", value)
            return tuple(self._value(arguments[0], v, f"{key}[{i}]") for i, v in enumerate(value))
        if origin is not None:
            if not isinstance(value, Mapping):
                raise self.wrong(key, "a table", value)
            return {k: self._value(arguments[1], v, _join(key, k)) for k, v in value.items()}
        if is_dataclass(kind):
            return self.table(typing.cast("type[object]", kind), value, key)
        if issubclass(kind, Enum):
            words = tuple(str(one.value) for one in kind)
            return kind(self._limited(self._scalar(str, value, key), OneOf(words), key))
        return self._scalar(kind, value, key)

    def _scalar(self, kind: type, value: object, key: str) -> object:
        # bool is a subclass of int, so types are compared exactly; an integer may stand for a
        # float, yet not one beyond what a float can hold.
        if type(value) is int and kind is float and value.bit_length() < 1024:
            value = float(value)
        if type(value) is not kind:
            raise self.wrong(key, KINDS[kind], value)
        if isinstance(value, int) and value.bit_length() > 63:
            raise self.wrong(key, "an integer of 64 bits", value)
        if isinstance(value, float) and not math.isfinite(value):
            raise self.wrong(key, "a finite number", value)
        return value

    def _limited(self, value: object, limit: object, key: str) -> object:
        if isinstance(limit, Range) and isinstance(value, (int, float)):
            if value < limit.smallest:
                raise self.wrong(key, f"at least {limit.smallest}", value)
            if value > limit.largest:
                raise self.wrong(key, f"at most {limit.largest}", value)
        if isinstance(limit, OneOf) and value not in limit.words:
            raise self.wrong(key, " or ".join(limit.words), value)
        if isinstance(limit, Pattern) and not re.fullmatch(limit.regex, str(value)):
            raise self.wrong(key, limit.meaning, value)
        return value


def _join(at: str, key: str) -> str:
    return f"{at}.{key}" if at else key
