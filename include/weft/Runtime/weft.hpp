//===- weft.hpp - compiled models from C++ ----------------------------------------*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The C interface (weft_runtime.h) with owners for what is opened and allocated, and tensors that
// are checked before a call. Header only, C++17, needs nothing of the compiler:
//
//   weft::Model model(tiny_info);               // linked; or weft::Model::load("tiny.so")
//   weft::Weights weights(model, "tiny.weights");
//   weft::Scratch scratch(model);
//   std::vector<float> scores(3);
//   model.entry("scores").call(weights, scratch, {{"ids", ids}}, {{"scores", scores}});
//
// Errors are exceptions of one class, weft::Error. A model is a value, and as its description and
// its code it lives as long as the program: a library that was loaded stays. Threads share model
// and weights; a scratch and a state belong to one thread at a time. An owner that was moved from
// owns nothing, and whoever uses it gets an Error.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_WEFT_HPP
#define WEFT_RUNTIME_WEFT_HPP

#include "weft/Runtime/weft_entry.hpp"
#include "weft/Runtime/weft_model.hpp"
#include "weft/Runtime/weft_state.hpp"
#include "weft/Runtime/weft_tensor.hpp"

#endif // WEFT_RUNTIME_WEFT_HPP
