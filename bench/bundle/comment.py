# SPDX-License-Identifier: Apache-2.0
"""A review as a Markdown comment for a pull request; nothing of a bundle can format it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bench.bundle.agreement import WHOLE
from bench.record.tables import interval, table

Record = Mapping[str, Any]
MEANING = {
    "ACCEPTED": "everything was verified here, and the claim was reproduced",
    "REJECTED": "the bundle or the solution breaks a rule",
    "NOT_REPRODUCED": "all is right but the times: less was measured here than claimed",
    "NOT_VERIFIABLE_HERE": "what could be verified on this machine holds; not all of it could",
}
WORDS_MAX = 600  # characters of one finding: a compiler says more


def comment(review: Record) -> str:
    """The comment that says what review.json says."""
    return "\n".join(_lines(review)) + "\n"


def plain(text: object) -> str:
    """Text of unknown origin as one line that Markdown, HTML and mentions leave alone."""
    line = re.sub(r"\s+", " ", str(text)).strip()
    line = "".join(one for one in line if one.isprintable())
    line = line if len(line) <= WORDS_MAX else f"{line[:WORDS_MAX]} ..."
    return re.sub(r"[\\`*_{}\[\]()<>#+!|~&@:$]", lambda found: f"&#{ord(found[0])};", line)


def _lines(review: Record) -> Iterator[str]:
    yield f"## Review of {plain(review['name'] or 'a bundle')}: {review['verdict']}"
    yield from ("", f"{MEANING[review['verdict']].capitalize()}.", "")
    if review["note"]:
        yield from (f"> {plain(review['note'])}", "")
    if review["claimed"]:
        yield from _claim(review["claimed"])
    if review["findings"]:
        yield from ("### Findings", "")
        for one in review["findings"]:
            yield f"- {one['leads_to']} ({one['stage']}): {plain(one['text'])}"
        yield ""
    if review["comparisons"]:
        yield from ("### Claimed and measured", "", *_comparisons(review["comparisons"]), "")
    yield from ("### Verified", "")
    yield from (f"- {one}" for one in review["verified"] or ["nothing"])
    yield from ("", f"Bundle `{review['bundle_sha256']}`, reviewed by `bench/review.py`.")


def _claim(claimed: Record) -> Iterator[str]:
    device = plain(f"{claimed['device']['name']} ({claimed['device']['type']})")
    for one in claimed["headlines"]:
        yield f"- claimed {one['rounding']}: {interval(one['geomean'])} on one {device}"
    yield ""


def _comparisons(comparisons: list[Record]) -> list[str]:
    head = ["row", "rounding", "claimed", "measured", "margin", "reproduced"]
    return table(
        head,
        [
            [
                f"**{WHOLE}**" if one["what"] == WHOLE else f"`{one['what']}`",
                one["rounding"],
                interval(one["claimed"]),
                interval(one["measured"]),
                f"{one['margin']:.1%}",
                "yes" if one["reproduced"] else "**no**",
            ]
            for one in comparisons
        ],
    )
