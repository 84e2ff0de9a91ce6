/*===- Convert.h - memory for a call ----------------------------------------------*- C -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#ifndef WEFT_LIB_RUNTIME_MAIN_CONVERT_H
#define WEFT_LIB_RUNTIME_MAIN_CONVERT_H

#include "Program.h"

/* The elements of a file's tensor in the type of `declared`, each checked to fit, in fresh memory.
 */
int convertInput(const weft_tensor_info *declared, const FileTensor *tensor, void **memory);

/* A binding of the entry without tensors, and all sizes 0. Fails if an element is of a type that is
 * not known here. */
int prepareBinding(const weft_model_info *info, const weft_entry_info *entry, Binding *binding);

#endif /* WEFT_LIB_RUNTIME_MAIN_CONVERT_H */
