# SPDX-License-Identifier: Apache-2.0
"""What this machine does at best, loaded and called exactly as a solution is.

entry      stream and empty: builds and loads either for an op
floor.cu   both on CUDA
floor.cc   both on the CPU
flat.h     a call's tensors as flat arrays of bytes
"""
