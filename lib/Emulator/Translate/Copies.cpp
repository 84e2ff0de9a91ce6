//===- Copies.cpp - asynchronous copies -----------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Translate/BulkCopies.h"
#include "Translate/Spaces.h"

using namespace weft;
using namespace weft::emulator;
using llvm::Value;

// cp.async.ca.shared.global [to], [from], bytes{, present}
static void emitCopy(Emitter &e) {
  bool sixteen = e.modifiers.has("cg");
  if (!e.modifiers.take("ca") && !e.modifiers.take("cg"))
    return e.fail("only cp.async.ca and .cg, groups and waits are known");
  bool shared = e.modifiers.take("shared") || e.modifiers.take("shared::cta");
  if (!shared || !e.modifiers.take("global"))
    return e.fail("a copy from .global to .shared is expected");
  skipCacheHints(e);
  if (!e.expect(3, 4))
    return;
  const ptx::Operand &size = e.operand(2);
  bool known = size.kind == ptx::OperandKind::Integer &&
               (size.value == 16 || (!sixteen && (size.value == 4 || size.value == 8)));
  if (!known)
    return e.fail("a copy has 4, 8 or 16 bytes, with .cg 16");
  Value *bytes = e.read(2, kWord);
  Value *present = e.count() == 4 ? e.read(3, kWord) : bytes;
  e.call("copy_async", e.builder.getVoidTy(),
         {e.thread(), e.address(e.operand(0)), e.address(e.operand(1)), bytes, present, e.line()});
}

static void emitCopyAsync(Emitter &e) {
  llvm::Type *nothing = e.builder.getVoidTy();
  if (!e.modifiers.take("async"))
    return e.fail("only cp.async is known");
  if (e.modifiers.take("bulk"))
    return emitBulkCopy(e);
  if (e.modifiers.take("commit_group")) {
    if (e.expect(0))
      e.call("commit_group", nothing, {e.thread()});
  } else if (e.modifiers.take("wait_group")) {
    if (e.expect(1))
      e.call("wait_group", nothing, {e.thread(), e.read(0, kWord)});
  } else if (e.modifiers.take("wait_all")) {
    if (!e.expect(0))
      return;
    e.call("commit_group", nothing, {e.thread()});
    e.call("wait_group", nothing, {e.thread(), e.number(0)});
  } else {
    emitCopy(e);
  }
}

llvm::ArrayRef<InstructionRow> weft::emulator::copyInstructions() {
  static const InstructionRow rows[] = {{"cp", emitCopyAsync}};
  return rows;
}
