//===- BulkCopies.cpp - copies of boxes and rows --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Translate/BulkCopies.h"

#include "llvm/ADT/STLExtras.h"

using namespace weft;
using namespace weft::emulator;
using llvm::Value;

namespace {

/// What all forms have in common.
struct BulkForm {
  unsigned dimensions = 0; ///< of a tensor; 0: a row of bytes
  bool loads = false;
};

} // namespace

// The space that is named first is copied to.
static std::optional<bool> takeDirection(Emitter &e) {
  bool globalFirst = true;
  for (const std::string &word : e.instruction.modifiers) {
    if (word == "global")
      break;
    globalFirst &= word.rfind("shared", 0) != 0;
  }
  bool cluster = e.modifiers.take("shared::cluster"), block = e.modifiers.take("shared::cta");
  if (!e.modifiers.take("global") || cluster == block || (globalFirst && cluster))
    return std::nullopt;
  return !globalFirst;
}

static std::optional<BulkForm> takeForm(Emitter &e) {
  BulkForm form;
  if (e.modifiers.take("tensor")) {
    form.dimensions =
        e.modifiers.choose<unsigned>({{"1d", 1}, {"2d", 2}, {"3d", 3}, {"4d", 4}, {"5d", 5}})
            .value_or(0);
    e.modifiers.take("tile");
    if (form.dimensions == 0) {
      e.fail("1d to 5d is expected");
      return std::nullopt;
    }
  }
  std::optional<bool> loads = takeDirection(e);
  const char *mechanism = loads && *loads ? "mbarrier::complete_tx::bytes" : "bulk_group";
  if (!loads || !e.modifiers.take(mechanism)) {
    e.fail("a copy from .global to shared memory by .mbarrier::complete_tx::bytes, or back by "
           ".bulk_group, is expected");
    return std::nullopt;
  }
  form.loads = *loads;
  return form;
}

// [to], [map, {x, y}], [barrier] or [map, {x, y}], [from]
static void emitTensor(Emitter &e, BulkForm form) {
  const ptx::Operand &tensor = e.operand(form.loads ? 1 : 0);
  const ptx::Operand &shared = e.operand(form.loads ? 0 : 1);
  Value *map = e.addressBefore(tensor, form.dimensions);
  if (tensor.parts.size() != 2)
    return;
  Value *coordinates = e.spill(tensor.parts[1]), *rank = e.number(form.dimensions);
  llvm::Type *nothing = e.builder.getVoidTy();
  if (form.loads)
    e.call(
        "bulk_load_tensor", nothing,
        {e.thread(), e.address(shared), map, coordinates, rank, e.address(e.operand(2)), e.line()});
  else
    e.call("bulk_store_tensor", nothing,
           {e.thread(), map, coordinates, rank, e.address(shared), e.line()});
}

// [to], [from], bytes{, [barrier]}
static void emitRow(Emitter &e, BulkForm form) {
  std::vector<Value *> arguments = {e.thread(), e.address(e.operand(0)), e.address(e.operand(1)),
                                    e.read(2, kWord)};
  if (form.loads)
    arguments.push_back(e.address(e.operand(3)));
  arguments.push_back(e.line());
  e.call(form.loads ? "bulk_load" : "bulk_store", e.builder.getVoidTy(), arguments);
}

static void emitCopy(Emitter &e) {
  if (e.modifiers.has("multicast::cluster"))
    return e.fail("clusters of several blocks are not known");
  std::optional<BulkForm> form = takeForm(e);
  if (!form)
    return;
  size_t operands = (form->dimensions ? 2 : 3) + form->loads;
  size_t hints = e.modifiers.take("L2::cache_hint");
  if (!e.expect(operands + hints))
    return;
  if (hints)
    e.read(operands, kWide); // in which cache data is wanted
  form->dimensions ? emitTensor(e, *form) : emitRow(e, *form);
}

void weft::emulator::emitBulkCopy(Emitter &e) {
  llvm::Type *nothing = e.builder.getVoidTy();
  if (e.modifiers.take("commit_group")) {
    if (e.expect(0))
      e.call("bulk_commit", nothing, {e.thread()});
  } else if (e.modifiers.take("wait_group")) {
    bool reads = e.modifiers.take("read");
    if (e.expect(1))
      e.call("bulk_wait", nothing, {e.thread(), e.read(0, kWord), e.number(reads)});
  } else {
    emitCopy(e);
  }
}
