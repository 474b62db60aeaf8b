# SPDX-License-Identifier: Apache-2.0
# family = "A.3"
# does = "raises while it is imported"
# caught_by = ["BUILD_FAILED", "CRASHED"]
from __future__ import annotations

raise RuntimeError("a solution that cannot even be imported")
