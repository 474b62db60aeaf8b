// SPDX-License-Identifier: Apache-2.0
// From a value known at the call to a type known to the compiler, for C++17.
#pragma once

#include "tensor_check.h"

namespace solution {

template <typename T>
struct Type {
  using type = T;
};
template <typename Tag>
using type_of = typename Tag::type;

// body(Type<T>{}) with the back end's own type for the call's dtype.
template <typename Bfloat16, typename Float16, typename Body>
auto dispatch_float(Dtype dtype, Body body) {
  switch (dtype) {
    case Dtype::bfloat16:
      return body(Type<Bfloat16>{});
    case Dtype::float16:
      return body(Type<Float16>{});
    default:
      return body(Type<float>{});
  }
}

}  // namespace solution
