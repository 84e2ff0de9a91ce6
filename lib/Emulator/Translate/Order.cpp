//===- Order.cpp - fences, and what fetches ahead -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Nothing is reordered here, and no cache is old: what orders the accesses of threads or fetches
// ahead does nothing. That accesses need an order is seen by what they race with. The fence between
// threads and agents counts.
//
//===----------------------------------------------------------------------------------------===//

#include "Machine/ProxyFences.h"
#include "Translate/Spaces.h"

using namespace weft;
using namespace weft::emulator;

static void fenceProxies(Emitter &e, uint32_t scopes) {
  if (e.expect(0))
    e.call("proxy_fence", e.builder.getVoidTy(), {e.thread(), e.number(scopes)});
}

// fence.proxy.async{.shared::cta, .global}, fence.mbarrier_init.release.cluster, and others.
static void emitFence(Emitter &e) {
  if (e.modifiers.take("proxy")) {
    if (!e.modifiers.take("async"))
      return e.fail("only the proxy .async is known");
    return fenceProxies(e, e.modifiers
                               .choose<uint32_t>({{"shared::cta", SharedFence},
                                                  {"shared::cluster", SharedFence},
                                                  {"global", GlobalFence}})
                               .value_or(SharedFence | GlobalFence));
  }
  if (e.modifiers.take("mbarrier_init")) {
    if (!e.modifiers.take("release") || !e.modifiers.take("cluster"))
      return e.fail(".release.cluster is missing");
    return fenceProxies(e, BarrierStartFence);
  }
  e.modifiers.skip({"sc", "acq_rel", "acquire", "release"});
  if (!e.modifiers.choose<bool>(
          {{"cta", true}, {"cluster", true}, {"gpu", true}, {"gl", true}, {"sys", true}}))
    return e.fail("a scope is missing");
  e.expect(0);
}

// prefetch.tensormap [map] wants a map; of others nobody sees what they fetch.
static void emitPrefetch(Emitter &e) {
  bool isParameter = takeSpace(e) == ptx::Space::Param;
  if (e.modifiers.take("tensormap")) {
    if (!e.expect(1))
      return;
    llvm::Value *address = e.address(e.operand(0));
    if (isParameter)
      address = e.builder.CreateAdd(address, e.builder.getInt64(kParamWindow));
    e.call("tensor_map", e.builder.getVoidTy(), {e.thread(), address, e.line()});
  }
  e.modifiers.skip({"L1", "L2", "L1::evict_last", "L2::evict_last", "L2::evict_normal"});
}

static void emitSleep(Emitter &e) {
  e.takeType();
  if (e.expect(1))
    e.read(0, kWord);
}

// griddepcontrol: launches do not overlap here.
static void emitGridControl(Emitter &e) {
  if (!e.modifiers.take("wait") && !e.modifiers.take("launch_dependents"))
    return e.fail(".wait or .launch_dependents is missing");
  e.expect(0);
}

llvm::ArrayRef<InstructionRow> weft::emulator::orderInstructions() {
  static const InstructionRow rows[] = {
      {"membar", emitFence},       {"fence", emitFence},     {"prefetch", emitPrefetch},
      {"prefetchu", emitPrefetch}, {"nanosleep", emitSleep}, {"griddepcontrol", emitGridControl},
  };
  return rows;
}
