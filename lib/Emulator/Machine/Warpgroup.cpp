//===- Warpgroup.cpp - the products of four warps -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Warpgroup.h"
#include "Machine/Memory.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft::emulator;
using weft::ptx::Space;

void Warpgroup::meet(Thread &thread, const char *newWhat, uint32_t newLine, void *payload,
                     llvm::function_ref<void(const GroupPayloads &)> run) {
  Block &block = *thread.block;
  uint32_t first = thread.index / kGroupThreads * kGroupThreads;
  for (uint32_t i = first; i < first + kGroupThreads; i += 32)
    if (uint32_t missing = ~block.liveLanes(i / 32))
      block.fail(thread, FaultKind::Meeting, newLine,
                 llvm::Twine(newWhat) + ": thread " + llvm::Twine(i + llvm::countr_zero(missing)) +
                     " of the warpgroup has ended or never was");
  if (arrived > 0 && (line != newLine || llvm::StringRef(what) != newWhat))
    block.fail(thread, FaultKind::Meeting, newLine,
               llvm::Twine(newWhat) + ", but threads of the warpgroup are at line " +
                   llvm::Twine(line) + " in " + what);
  what = newWhat;
  line = newLine;
  payloads[thread.index - first] = payload;
  if (++arrived < kGroupThreads)
    return block.wait(thread, newWhat, newLine);
  arrived = 0;
  GroupPayloads all = payloads;
  run(all);
  for (uint32_t i = first; i < first + kGroupThreads; ++i)
    block.wake(block.thread(i));
}

static uint32_t agentOf(const Thread &thread) {
  return kFirstProduct + thread.index / kGroupThreads;
}

static SharedMatrix decode(Thread &thread, uint64_t descriptor, uint32_t line) {
  if (std::optional<SharedMatrix> matrix = SharedMatrix::decode(descriptor))
    return *matrix;
  thread.block->fail(thread, FaultKind::Meeting, line,
                     "0x" + llvm::Twine::utohexstr(descriptor) +
                         " is no descriptor of a matrix: bits without a meaning are set");
}

void Warpgroup::begin(const GroupPayloads &payloads, uint32_t line) {
  Product product;
  for (uint32_t i = 0; i < kGroupThreads; ++i)
    product.requests[i] = *static_cast<ProductRequest *>(payloads[i]);
  const ProductRequest &first = product.requests[0];
  Block &block = *first.thread->block;
  product.form = first.form;
  product.adds = first.adds;
  product.line = line;
  product.group = warps[0].commits;
  product.time = block.agents.begin(agentOf(*first.thread));
  for (const ProductRequest &request : product.requests) {
    if (request.a != first.a || request.b != first.b || request.adds != first.adds ||
        warps[request.thread->registers.warp % 4].commits != product.group)
      block.fail(*request.thread, FaultKind::Meeting, line,
                 "the threads of the warpgroup have other descriptors, scales or numbers of "
                 "committed groups");
    checkRegisters(request, line);
  }
  product.b = decode(*first.thread, first.b, line);
  if (!product.form.has(RegistersA))
    product.a = decode(*first.thread, first.a, line);
  noteReads(product);
  products.push_back(product);
}

// A fence must stand between a thread's accesses and the product, and nothing that another product
// uses otherwise may be used.
void Warpgroup::checkRegisters(const ProductRequest &request, uint32_t line) {
  Thread &thread = *request.thread;
  uint32_t fences = thread.registers.fences, shape = request.form.shape();
  auto check = [&](FragmentRegister &fragment, bool isSum) {
    uint64_t state = *fragment.state;
    uint32_t access = uint32_t(state), last = state >> kShapeShift & 0xffff;
    uint64_t users = state >> kUsersShift;
    bool continues = isSum && last == shape;
    if (fences == 0 || (access > fences && !continues))
      thread.block->fail(thread, FaultKind::Race, line,
                         "a wgmma.fence is missing between the last access of a register and this "
                         "product");
    if (users && (isSum ? !continues : last != 0))
      thread.block->fail(thread, FaultKind::Race, line,
                         "a register that another product uses, which nobody has waited for");
    ++users;
    *fragment.state = users << kUsersShift | (isSum ? uint64_t(shape) << kShapeShift | (fences + 1)
                                                    : state & ((uint64_t(1) << kUsersShift) - 1));
  };
  for (uint32_t i = 0; i < request.form.sumRegisters(); ++i)
    check(request.sum(i), true);
  for (uint32_t i = 0; request.form.has(RegistersA) && i < 4; ++i)
    check(request.factor(i), false);
}

// Every warp must be allowed to read all of it.
void Warpgroup::noteReads(const Product &product) {
  const ProductForm &form = product.form;
  uint32_t bytes = form.elementBytes(), elements = 16 / bytes;
  for (uint32_t warp = 0; warp < 4; ++warp) {
    Thread &thread = *product.requests[32 * warp].thread;
    auto note = [&](const SharedMatrix &matrix, uint32_t rows, bool transposed) {
      uint32_t rowStep = transposed ? elements : 1, kStep = transposed ? 1 : elements;
      for (uint32_t row = 0; row < rows; row += rowStep)
        for (uint32_t k = 0; k < form.k(); k += kStep) {
          Access access{matrix.find(row, k, bytes, transposed), 16, Space::Shared, AccessKind::Read,
                        product.line};
          noteAsync(thread, access, locate(thread, access), agentOf(thread), product.time);
        }
    };
    if (!form.has(RegistersA))
      note(product.a, 64, form.has(TransposedA));
    note(product.b, form.n, form.has(TransposedB));
  }
}

void Warpgroup::release(Thread &lane, const Product &product) {
  const ProductRequest &request = product.requests[lane.index % kGroupThreads];
  auto give = [](FragmentRegister &fragment) { *fragment.state -= uint64_t(1) << kUsersShift; };
  for (uint32_t i = 0; i < product.form.sumRegisters(); ++i)
    give(request.sum(i));
  for (uint32_t i = 0; product.form.has(RegistersA) && i < 4; ++i)
    give(request.factor(i));
}

void Warpgroup::wait(Thread &lane, uint32_t left) {
  Block &block = *lane.block;
  uint32_t index = lane.registers.warp;
  Warp &warp = warps[index % 4];
  uint32_t ended = warp.commits > left ? warp.commits - left : 0;
  for (; warp.released - gone < products.size(); ++warp.released) {
    Product &product = products[warp.released - gone];
    if (product.group >= ended)
      break;
    if (!product.isComputed)
      compute(product, block.shared.data());
    for (uint32_t i = 0; i < 32; ++i)
      release(block.thread(32 * index + i), product);
    warp.time = product.time;
  }
  while (!products.empty() &&
         llvm::all_of(warps, [&](const Warp &w) { return w.released > gone; })) {
    products.pop_front();
    ++gone;
  }
}

void Warpgroup::checkEnd(Thread &thread) const {
  uint64_t released = warps[thread.registers.warp % 4].released;
  if (released - gone < products.size())
    thread.block->fail(thread, FaultKind::Race, products[released - gone].line,
                       "it ends without having waited for this product");
}
