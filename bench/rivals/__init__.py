# SPDX-License-Identifier: Apache-2.0
"""What a reader would compare with: reported beside the headline, never in it.

addcmul    torch.addcmul, for the op that it happens to be
inductor   torch.compile of the op's own formula
triton     the solution's back end of that name, where it has one
"""
