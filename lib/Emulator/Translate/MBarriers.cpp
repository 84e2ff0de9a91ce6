//===- MBarriers.cpp - barriers in shared memory --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Translate/Emitter.h"

using namespace weft;
using namespace weft::emulator;
using llvm::Value;

// mbarrier.arrive{.expect_tx}.shared.b64 state, [barrier]{, count or bytes}
static void emitArrive(Emitter &e) {
  bool announces = e.modifiers.take("expect_tx");
  if (!e.expect(announces ? 3 : 2, 3))
    return;
  Value *number = e.count() == 3 ? e.read(2, kWord) : e.number(1);
  Value *phase = e.call("mbarrier_arrive", e.builder.getInt64Ty(),
                        {e.thread(), e.address(e.operand(1)), announces ? e.number(1) : number,
                         announces ? number : e.number(0), e.line()});
  e.write(0, phase, kWide);
}

// mbarrier.try_wait{.parity}.shared.b64 ended, [barrier], phase{, time}
static void emitTest(Emitter &e) {
  bool byParity = e.modifiers.take("parity");
  if (!e.expect(3, 4))
    return;
  Value *phase =
      byParity ? e.builder.CreateZExt(e.read(2, kWord), e.builder.getInt64Ty()) : e.read(2, kWide);
  Value *ended = e.call("mbarrier_test", e.builder.getInt32Ty(),
                        {e.thread(), e.address(e.operand(1)), e.number(byParity), phase, e.line()});
  e.write(0, e.builder.CreateIsNotNull(ended), {ptx::TypeKind::Predicate, 1});
}

static void emitMBarrier(Emitter &e) {
  bool shared = e.modifiers.take("shared") || e.modifiers.take("shared::cta") ||
                e.modifiers.take("shared::cluster");
  if (!shared || e.takeType() != kWide)
    return e.fail("only .b64 in .shared is known");
  e.modifiers.skip({"release", "acquire", "cta", "cluster"});
  llvm::Type *nothing = e.builder.getVoidTy();
  if (e.modifiers.take("init")) {
    if (e.expect(2))
      e.call("mbarrier_init", nothing,
             {e.thread(), e.address(e.operand(0)), e.read(1, kWord), e.line()});
  } else if (e.modifiers.take("inval")) {
    if (e.expect(1))
      e.call("mbarrier_inval", nothing, {e.thread(), e.address(e.operand(0)), e.line()});
  } else if (e.modifiers.take("arrive")) {
    emitArrive(e);
  } else if (e.modifiers.take("expect_tx")) {
    e.modifiers.take("relaxed"); // it orders nothing
    if (e.expect(2))
      e.call("mbarrier_expect", nothing,
             {e.thread(), e.address(e.operand(0)), e.read(1, kWord), e.line()});
  } else if (e.modifiers.take("try_wait") || e.modifiers.take("test_wait")) {
    emitTest(e);
  } else {
    e.fail("only init, inval, arrive, expect_tx, try_wait and test_wait are known");
  }
}

llvm::ArrayRef<InstructionRow> weft::emulator::mbarrierInstructions() {
  static const InstructionRow rows[] = {{"mbarrier", emitMBarrier}};
  return rows;
}
