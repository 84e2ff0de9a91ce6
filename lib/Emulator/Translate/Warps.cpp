//===- Warps.cpp - barriers, shuffles and votes ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/Meetings.h"
#include "Machine/Runtime.h"
#include "Translate/Spaces.h"

using namespace weft;
using namespace weft::emulator;
using llvm::Value;

static constexpr ptx::Type predicate{ptx::TypeKind::Predicate, 1};

static Value *asWord(Emitter &e, Value *value) {
  return e.builder.CreateZExtOrTrunc(value, e.builder.getInt32Ty());
}

static void emitWarpBarrier(Emitter &e) {
  if (e.modifiers.take("sync") && e.expect(1))
    e.call("warp_barrier", e.builder.getVoidTy(), {e.thread(), e.read(0, kWord), e.line()});
}

// bar.red.popc.u32 d, id, {count,} {!}p: d is of all threads.
static void emitBarrierReduction(Emitter &e) {
  std::optional<BarrierKind> kind = e.modifiers.choose<BarrierKind>(
      {{"popc", BarrierKind::Count}, {"and", BarrierKind::And}, {"or", BarrierKind::Or}});
  ptx::Type type = e.takeType();
  if (!kind)
    return e.fail("a reduction is missing");
  if (!e.expect(3, 4))
    return;
  Value *count = e.count() == 4 ? e.read(2, kWord) : e.number(0);
  Value *result = e.call("barrier", e.builder.getInt32Ty(),
                         {e.thread(), e.read(1, kWord), count, e.code(*kind),
                          asWord(e, e.readPredicate(e.count() - 1)), e.line()});
  if (*kind == BarrierKind::Count)
    return e.write(0, result, type);
  e.write(0, e.builder.CreateIsNotNull(result), predicate);
}

// bar and barrier, of the block: .sync, .arrive and .red.
static void emitBarrier(Emitter &e) {
  if (e.modifiers.take("cluster"))
    return emitClusterBarrier(e);
  e.modifiers.skip({"cta", "aligned"});
  if (e.modifiers.take("warp"))
    return emitWarpBarrier(e);
  if (e.modifiers.take("red"))
    return emitBarrierReduction(e);
  std::optional<BarrierKind> kind = e.modifiers.choose<BarrierKind>(
      {{"sync", BarrierKind::Sync}, {"arrive", BarrierKind::Arrive}});
  if (!kind)
    return e.fail(".sync, .arrive or .red is missing");
  if (!e.expect(*kind == BarrierKind::Arrive ? 2 : 1, 2))
    return;
  Value *count = e.count() == 2 ? e.read(1, kWord) : e.number(0);
  e.call("barrier", e.builder.getInt32Ty(),
         {e.thread(), e.read(0, kWord), count, e.code(*kind), e.number(0), e.line()});
}

// shfl.sync.MODE.b32 d|p, a, b, c, mask
static void emitShuffle(Emitter &e) {
  std::optional<ShuffleMode> mode =
      e.modifiers.choose<ShuffleMode>({{"up", ShuffleMode::Up},
                                       {"down", ShuffleMode::Down},
                                       {"bfly", ShuffleMode::Butterfly},
                                       {"idx", ShuffleMode::Index}});
  if (!e.modifiers.take("sync") || !mode || e.takeType() != kWord)
    return e.fail("only shfl.sync of a mode and .b32 is known");
  if (!e.expect(5))
    return;
  Value *result = e.call("shuffle", e.builder.getInt64Ty(),
                         {e.thread(), e.code(*mode), e.read(1, kWord), e.read(2, kWord),
                          e.read(3, kWord), e.read(4, kWord), e.line()});
  bool pair = e.operand(0).kind == ptx::OperandKind::Pair;
  e.write(pair ? e.operand(0).parts[0] : e.operand(0), asWord(e, result), kWord);
  if (pair)
    e.write(e.operand(0).parts[1],
            e.builder.CreateTrunc(e.builder.CreateLShr(result, 32), e.builder.getInt1Ty()),
            predicate);
}

// vote.sync.MODE d, {!}p, mask
static void emitVote(Emitter &e) {
  std::optional<VoteMode> mode = e.modifiers.choose<VoteMode>({{"all", VoteMode::All},
                                                               {"any", VoteMode::Any},
                                                               {"uni", VoteMode::Uniform},
                                                               {"ballot", VoteMode::Ballot}});
  if (!e.modifiers.take("sync") || !mode)
    return e.fail("only vote.sync of a mode is known");
  ptx::Type type = e.takeType();
  if (!e.expect(3))
    return;
  Value *result = e.call(
      "vote", e.builder.getInt32Ty(),
      {e.thread(), e.code(*mode), asWord(e, e.readPredicate(1)), e.read(2, kWord), e.line()});
  e.write(0, *mode == VoteMode::Ballot ? result : e.builder.CreateIsNotNull(result), type);
}

static void emitReduction(Emitter &e) {
  std::optional<AtomicOp> op = e.modifiers.choose<AtomicOp>({{"add", AtomicOp::Add},
                                                             {"min", AtomicOp::Min},
                                                             {"max", AtomicOp::Max},
                                                             {"and", AtomicOp::And},
                                                             {"or", AtomicOp::Or},
                                                             {"xor", AtomicOp::Xor}});
  bool sync = e.modifiers.take("sync");
  ptx::Type type = e.takeType();
  if (!sync || !op || type.totalBits() != 32 || !type.isInteger())
    return e.fail("only redux.sync of an operation and 32 bits is known");
  if (e.expect(3))
    e.write(0,
            e.call("reduce", e.builder.getInt32Ty(),
                   {e.thread(), e.code(*op), e.number(type.isSigned()), e.read(1, type),
                    e.read(2, kWord), e.line()}),
            type);
}

// match.any.sync.b32 d, a, mask; match.all.sync.b32 d|p, a, mask
static void emitMatch(Emitter &e) {
  std::optional<bool> all = e.modifiers.choose<bool>({{"all", true}, {"any", false}});
  bool sync = e.modifiers.take("sync");
  ptx::Type type = e.takeType();
  if (!all || !sync || type.totalBits() < 32)
    return e.fail("only match.sync of .all or .any is known");
  if (!e.expect(3))
    return;
  Value *value = e.builder.CreateZExtOrTrunc(e.read(1, type), e.builder.getInt64Ty());
  Value *lanes = e.call("match", e.builder.getInt32Ty(),
                        {e.thread(), value, e.number(*all), e.read(2, kWord), e.line()});
  bool pair = e.operand(0).kind == ptx::OperandKind::Pair;
  e.write(pair ? e.operand(0).parts[0] : e.operand(0), lanes, kWord);
  if (pair)
    e.write(e.operand(0).parts[1], e.builder.CreateIsNotNull(lanes), predicate);
}

static void emitActiveMask(Emitter &e) {
  e.takeType();
  if (e.expect(1))
    e.write(0, e.call("active_mask", e.builder.getInt32Ty(), {e.thread()}), kWord);
}

// elect.sync d|p, mask: the lowest lane of the mask.
static void emitElect(Emitter &e) {
  if (!e.modifiers.take("sync") || !e.expect(2) || e.operand(0).kind != ptx::OperandKind::Pair)
    return e.fail("elect.sync d|p, mask is expected");
  Value *mask = e.read(1, kWord);
  e.call("warp_barrier", e.builder.getVoidTy(), {e.thread(), mask, e.line()});
  Value *first = e.builder.CreateIntrinsic(llvm::Intrinsic::cttz, {mask->getType()},
                                           {mask, e.builder.getFalse()});
  Value *lane = e.field(offsetof(ThreadRegisters, lane), e.builder.getInt32Ty());
  e.write(e.operand(0).parts[0], first, kWord);
  e.write(e.operand(0).parts[1], e.builder.CreateICmpEQ(first, lane), predicate);
}

llvm::ArrayRef<InstructionRow> weft::emulator::warpInstructions() {
  static const InstructionRow rows[] = {
      {"bar", emitBarrier},           {"barrier", emitBarrier},
      {"shfl", emitShuffle},          {"vote", emitVote},
      {"redux", emitReduction},       {"match", emitMatch},
      {"activemask", emitActiveMask}, {"elect", emitElect},
  };
  return rows;
}
