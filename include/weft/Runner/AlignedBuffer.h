//===- AlignedBuffer.h - memory for a tensor ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_ALIGNEDBUFFER_H
#define WEFT_RUNNER_ALIGNEDBUFFER_H

#include "weft/Runtime/weft_runtime.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstdlib>
#include <cstring>
#include <memory>

namespace weft {

/// Zeroed bytes, aligned as kernels like it.
class AlignedBuffer {
public:
  AlignedBuffer() = default;
  /// Ends the program with a message if there is not so much memory.
  explicit AlignedBuffer(int64_t bytes) : memory(weft_allocate(bytes)), bytes(bytes) {
    if (!memory)
      llvm::report_bad_alloc_error("out of memory");
    std::memset(memory.get(), 0, size_t(bytes));
  }

  /// In bytes.
  int64_t size() const { return bytes; }
  uint8_t *data() { return static_cast<uint8_t *>(memory.get()); }
  const uint8_t *data() const { return static_cast<const uint8_t *>(memory.get()); }
  /// The bytes as elements; a rest is left out.
  template <typename T> llvm::MutableArrayRef<T> as() {
    return {reinterpret_cast<T *>(data()), size_t(bytes) / sizeof(T)};
  }
  template <typename T> llvm::ArrayRef<T> as() const {
    return {reinterpret_cast<const T *>(data()), size_t(bytes) / sizeof(T)};
  }

private:
  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<void, Free> memory;
  int64_t bytes = 0;
};

} // namespace weft

#endif // WEFT_RUNNER_ALIGNEDBUFFER_H
