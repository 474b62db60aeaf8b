// SPDX-License-Identifier: Apache-2.0
// An op's contract as data: tensors in declared order, their dims, and the layouts that override
// them.
#pragma once

#include <cstdint>

namespace solution {

constexpr int kMaxTensors = 8;
constexpr int kMaxLayouts = 4;
constexpr int kMaxRank = 6;
constexpr int kMaxOverrides = 4;

// "B L D": a capital letter is an axis, a digit a fixed size.
struct Dims {
  int rank = 0;
  char code[kMaxRank] = {};

  static constexpr bool is_axis(char code) { return code >= 'A' && code <= 'Z'; }
};

struct TensorRule {
  const char* name;
  const char* dims;
};

// What a layout does not override it takes from the tensor's own rule.
struct Layout {
  const char* name;
  TensorRule overrides[kMaxOverrides];
};

struct Contract {
  const char* op = nullptr;
  int inputs = 0;   // outputs follow the inputs
  int tensors = 0;  // inputs and outputs together
  int layouts = 0;
  const char* tensor_name[kMaxTensors] = {};
  const char* layout_name[kMaxLayouts] = {};
  Dims dims[kMaxLayouts][kMaxTensors] = {};
};

// A mistake in a contract is a compile error: each throw below stands in a constant expression.
constexpr Dims parse_dims(const char* text) {
  Dims dims;
  for (; *text; ++text) {
    if (*text == ' ') continue;
    const bool known = Dims::is_axis(*text) || (*text >= '0' && *text <= '9');
    if (!known || dims.rank == kMaxRank)
      throw "dims are capital letters or digits, kMaxRank at most";
    for (int d = 0; d < dims.rank; ++d)
      if (Dims::is_axis(*text) && dims.code[d] == *text) throw "an axis stands once in a tensor";
    dims.code[dims.rank++] = *text;
  }
  return dims;
}

constexpr bool same_text(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

constexpr int tensor_index(const Contract& contract, const char* name) {
  for (int i = 0; i < contract.tensors; ++i)
    if (same_text(contract.tensor_name[i], name)) return i;
  throw "a layout overrides a tensor that the op does not have";
}

template <int Inputs, int Outputs, int Layouts>
constexpr Contract make_contract(const char* op, const TensorRule (&inputs)[Inputs],
                                 const TensorRule (&outputs)[Outputs],
                                 const Layout (&layouts)[Layouts]) {
  static_assert(Inputs + Outputs <= kMaxTensors && Layouts <= kMaxLayouts);
  Contract contract;
  contract.op = op;
  contract.inputs = Inputs;
  contract.tensors = Inputs + Outputs;
  contract.layouts = Layouts;
  for (int i = 0; i < contract.tensors; ++i)
    contract.tensor_name[i] = i < Inputs ? inputs[i].name : outputs[i - Inputs].name;
  for (int l = 0; l < Layouts; ++l) {
    contract.layout_name[l] = layouts[l].name;
    for (int i = 0; i < contract.tensors; ++i)
      contract.dims[l][i] = parse_dims(i < Inputs ? inputs[i].dims : outputs[i - Inputs].dims);
    for (const TensorRule& rule : layouts[l].overrides)
      if (rule.name) contract.dims[l][tensor_index(contract, rule.name)] = parse_dims(rule.dims);
  }
  return contract;
}

}  // namespace solution
