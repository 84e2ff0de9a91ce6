//===- Warpgroup.h - the products of four warps ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// wgmma.mma_async begins a product, which may read shared memory and registers at any time until a
// warp waits for its group. Here all happens at the first wait: from what is in memory then.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_EMULATOR_MACHINE_WARPGROUP_H
#define WEFT_LIB_EMULATOR_MACHINE_WARPGROUP_H

#include "Machine/SharedMatrix.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <deque>

namespace weft::emulator {

struct Thread;

inline constexpr uint32_t kGroupThreads = 128;

enum class FactorType : uint32_t { Half, BFloat, TFloat, E4M3, E5M2, Signed8, Unsigned8 };
enum class SumType : uint32_t { Float, Half, Integer };
enum ProductFlags : uint32_t {
  TransposedA = 1,
  TransposedB = 2,
  NegatedA = 4,
  NegatedB = 8,
  RegistersA = 16, ///< A is in registers
  Saturated = 32
};

/// wgmma.mma_async as it is written: D of 64 x n, A of 64 x k.
struct ProductForm {
  uint32_t n = 0, flags = 0;
  FactorType a = FactorType::Half, b = FactorType::Half;
  SumType sum = SumType::Float;

  bool has(ProductFlags flag) const { return flags & flag; }
  uint32_t elementBytes() const;
  uint32_t k() const { return 32 / elementBytes(); }
  uint32_t sumRegisters() const { return n / (sum == SumType::Half ? 4 : 2); }
  /// Not 0; products of the same shape have the same.
  uint32_t shape() const {
    return n / 8 | uint32_t(a) << 6 | uint32_t(b) << 9 | uint32_t(sum) << 12;
  }
};

/// A register that products use, and its state: when the thread accessed it last, in fences and
/// counted from 1 (0: never), in 32 bits; the shape of a product that it is the sum of since then,
/// in 16; how many products use it, in 16.
struct FragmentRegister {
  uint32_t *value;
  uint64_t *state;
};
inline constexpr unsigned kShapeShift = 32, kUsersShift = 48;

/// What a thread brings: its function's registers and which of them are D and A.
struct ProductRequest {
  Thread *thread;
  ProductForm form;
  bool adds; ///< to what D is
  uint64_t a, b;
  FragmentRegister *registers;
  const uint32_t *numbers;

  FragmentRegister &sum(uint32_t i) const { return registers[numbers[i]]; }
  FragmentRegister &factor(uint32_t i) const { return registers[numbers[form.sumRegisters() + i]]; }
};

struct Product {
  ProductForm form;
  bool adds = false, isComputed = false;
  SharedMatrix a, b;
  uint32_t group = 0, time = 0, line = 0; ///< the time is the warpgroup's agent's
  std::array<ProductRequest, kGroupThreads> requests;
};

/// D of all threads.
void compute(Product &product, const uint8_t *shared);

using GroupPayloads = std::array<void *, kGroupThreads>;

class Warpgroup {
public:
  /// Waits for all threads of the group, which must be at the same line; the last one runs the
  /// function for all.
  void meet(Thread &thread, const char *what, uint32_t line, void *payload,
            llvm::function_ref<void(const GroupPayloads &)> run);

  /// Begins a product of all threads' requests.
  void begin(const GroupPayloads &requests, uint32_t line);
  /// A warp closes a group.
  void commit(uint32_t warp) { ++warps[warp % 4].commits; }
  /// A warp waits for all its groups but the newest `left`.
  void wait(Thread &lane, uint32_t left);
  /// The agent's time up to which the warp has waited.
  uint32_t time(uint32_t warp) const { return warps[warp % 4].time; }
  /// The thread ends: its warp must have waited for all products.
  void checkEnd(Thread &thread) const;

  uint32_t registers = 0, wanted = 0; ///< of each of its threads, by setmaxnreg

private:
  void noteReads(const Product &product);
  void checkRegisters(const ProductRequest &request, uint32_t line);
  void release(Thread &lane, const Product &product);

  struct Warp {
    uint32_t commits = 0, time = 0;
    uint64_t released = 0; ///< products
  };
  std::array<Warp, 4> warps;
  std::deque<Product> products; ///< that some warp has not waited for, the oldest first
  uint64_t gone = 0;            ///< how many were before them

  const char *what = nullptr;
  uint32_t arrived = 0, line = 0;
  GroupPayloads payloads;
};

} // namespace weft::emulator

#endif // WEFT_LIB_EMULATOR_MACHINE_WARPGROUP_H
