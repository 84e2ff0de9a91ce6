//===- BulkOrderTest.cpp - what bulk loads need, and mistakes -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every part of a right kernel is left out, which must be found.
//
//===----------------------------------------------------------------------------------------===//

#include "BulkKernel.h"

using namespace weft;
using namespace weft::test;

namespace {

class BulkOrderTest : public BulkTest {
protected:
  std::string problem(const std::string &body, const TensorMap &map, uint32_t threads = 1,
                      std::vector<int> coordinates = {0, 0, 0, 0, 0}) {
    std::string first;
    for (uint64_t seed = 0; seed < 4 && first.empty(); ++seed) {
      std::vector<uint8_t> output(16384);
      emulator::MachineOptions options;
      options.seed = seed;
      first = run(kernelOfMap(body, coordinates, memory), {{1, 1, 1}, {threads, 1, 1}},
                  counted(16384), output, options, {{map}});
    }
    return first;
  }
};

TEST_F(BulkOrderTest, WaitsAndBytes) {
  TensorMap map = matrix(64, 32, 16, 8);
  const std::string load = loadOf(2), out = copyOut(256), bytes = expectBytes(256);
  const std::string first = start + startFence;
  EXPECT_EQ(problem(first + bytes + load + await + out, map), "");
  EXPECT_EQ(problem(first + "mbarrier.expect_tx.relaxed.cta.shared.b64 [full], 256;\n" + load +
                        "mbarrier.arrive.shared.b64 _, [full];\n" + await + out,
                    map),
            "");
  // The copy may begin before it is announced.
  EXPECT_EQ(problem(first + load + bytes + await + out, map), "");
  EXPECT_PART(problem(first + bytes + load + out, map),
              "that a bulk copy writes and whose end it does not know of");
  // A question is no wait.
  EXPECT_PART(
      problem(first + bytes + load + "mbarrier.try_wait.parity.shared.b64 %p1, [full], 0;\n" + out,
              map),
      "that a bulk copy writes and whose end it does not know of");
  EXPECT_PART(problem(first + bytes + load, map), "the block ends while this copy");
  EXPECT_PART(problem(first + bytes + load + "mbarrier.inval.shared.b64 [full];", map),
              "given up while bulk copies");
  // Bytes that are not announced, too few, too many.
  EXPECT_PART(problem(first + "mbarrier.arrive.shared.b64 _, [full];" + load + await + out, map),
              "that a bulk copy writes and whose end it does not know of");
  EXPECT_PART(problem(first + load + "mbarrier.arrive.shared.b64 _, [full];" + await + out, map),
              "bulk copies of 256 bytes to an mbarrier that expects 0");
  EXPECT_PART(problem(first + expectBytes(240) + load + await + out, map),
              "bulk copies of 256 bytes to an mbarrier that expects 240");
  EXPECT_PART(problem(first + expectBytes(512) + load + await + out, map),
              "misses 0 arrivals and 256 bytes");
  EXPECT_PART(problem(first + bytes + load + load + await + out, map), "that a bulk copy writes");
  EXPECT_PART(problem(first + load + await + out, map), "misses 1 arrivals and -256 bytes");
}

TEST_F(BulkOrderTest, OtherThreadsWaitToo) {
  TensorMap map = matrix(64, 32, 16, 8);
  auto with = [&](const std::string &others) {
    return problem("setp.ne.u32 %p4, %r0, 0; @%p4 bra J;\n" + start + startFence +
                       "J: bar.sync 0; @%p4 bra O;\n" + expectBytes(256) + loadOf(2) + "O:\n" +
                       others + "setp.ne.u32 %p5, %r0, 63; @%p5 ret;\n" + copyOut(256),
                   map, 64);
  };
  EXPECT_EQ(with(await), "");
  EXPECT_EQ(with("@%p4 bra N;\n" + await + "N: bar.sync 0;"), "");
  EXPECT_NE(with("@%p4 bra N;\n" + await + "N:"), "");
}

TEST_F(BulkOrderTest, Fences) {
  TensorMap map = matrix(64, 32, 16, 8);
  const std::string load = loadOf(2) + await + copyOut(256), bytes = expectBytes(256);
  EXPECT_PART(problem(start + bytes + load, map), "without a fence.mbarrier_init");
  EXPECT_EQ(problem(start + "fence.proxy.async;" + bytes + load, map), "");
  EXPECT_EQ(problem(start + "fence.proxy.async.shared::cta;" + bytes + load, map), "");
  EXPECT_PART(problem(start + "fence.proxy.async.global;" + bytes + load, map),
              "without a fence.mbarrier_init");
  // What the copy overwrites or reads was written by the thread.
  const std::string inTile = start + startFence + bytes + "st.shared.b32 [tile+4], %r0;";
  EXPECT_PART(problem(inTile + load, map), "without a fence.proxy.async");
  EXPECT_PART(problem(inTile + startFence + load, map), "without a fence.proxy.async");
  EXPECT_EQ(problem(inTile + "fence.proxy.async.shared::cta;" + load, map), "");
  const std::string inGlobal = start + startFence + bytes + "st.global.b32 [%rd1+4], %r0;";
  EXPECT_PART(problem(inGlobal + load, map), "without a fence.proxy.async");
  EXPECT_PART(problem(inGlobal + "fence.proxy.async.shared::cta;" + load, map),
              "without a fence.proxy.async");
  EXPECT_EQ(problem(inGlobal + "fence.proxy.async.global;" + load, map), "");
  // The one who writes has to pass the fence, and the other one to know of it.
  auto byOther = [&](const std::string &writer, const std::string &issuer) {
    return problem("setp.ne.u32 %p4, %r0, 0; @%p4 bra J;\n" + start + startFence + bytes +
                       "bra K;\nJ: setp.ne.u32 %p5, %r0, 32; @%p5 bra K; st.shared.b32 [tile], "
                       "%r0;\n" +
                       writer + "K: bar.sync 0; @%p4 ret;\n" + issuer + load,
                   map, 64);
  };
  EXPECT_EQ(byOther("fence.proxy.async;", ""), "");
  EXPECT_PART(byOther("", "fence.proxy.async;"), "after thread 32 wrote them without a fence");
}

TEST_F(BulkOrderTest, WrongMapsAndPlaces) {
  TensorMap map = matrix(64, 32, 16, 8), wide = matrix(4096, 32, 16, 8);
  const std::string first = start + startFence + expectBytes(256);
  EXPECT_PART(problem(first + loadOf(3), map), "a copy of 3 dimensions by a map of 2");
  EXPECT_PART(problem(first + loadOf(2, "tile+64"), map), "no multiple of 128");
  EXPECT_PART(problem(first + loadOf(2, "tile+16256"), map), "of shared memory");
  EXPECT_PART(problem(first + loadOf(2), wide), "outside every allocation");
  EXPECT_PART(problem(first + "add.s64 %rd3, %rd3, 8;" + loadOf(2), map), "no multiple of 64");
  EXPECT_PART(problem(first + "mov.b64 %rd3, %rd1;" + loadOf(2), map), "there is no tensor map at");
  EXPECT_PART(problem("prefetch.tensormap [%rd1];", map), "there is no tensor map at");
  EXPECT_EQ(problem("prefetch.tensormap [%rd3];", map), "");
  EXPECT_PART(problem(first + "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                              "complete_tx::bytes.multicast::cluster [tile], [%rd3, {%r10, %r11}], "
                              "[full], %r1;",
                      map),
              "clusters of several blocks are not known");
  EXPECT_PART(problem(first + "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                              "[tile], [%rd1+8], 64, [full];",
                      map),
              "multiples of 16 are expected");
}

TEST_F(BulkOrderTest, MapsInGlobalMemory) {
  auto gpu = machine();
  uint64_t data = gpu->allocate(4096), map = gpu->allocate(128), out = gpu->allocate(256);
  TensorMap tensor = matrix(64, 32, 16, 8);
  tensor.address = data;
  emulator::encodeTensorMap(tensor, gpu->translate(map, 128));
  std::memset(gpu->translate(data, 4096), 7, 4096);
  auto with = [&](const std::string &before) {
    std::string text = kernelOfMap(before + "mov.b64 %rd3, %rd1;\n" + start + startFence +
                                       expectBytes(256) + loadOf(2) + await + copyOut(256),
                                   {0, 0}, memory);
    uint32_t module = llvm::cantFail(gpu->load(text, "x"));
    uint8_t unused[128] = {};
    std::optional<emulator::Fault> fault = gpu->launch(
        *llvm::cantFail(gpu->findKernel(module, "f")), {1, 1, 1}, {1, 1, 1}, {unused, &map, &out});
    return fault ? fault->message : "";
  };
  EXPECT_EQ(with(""), "");
  EXPECT_EQ(*gpu->translate(out, 1), 7);
  // One that the kernel changes would need another fence.
  EXPECT_PART(with("ld.global.b32 %r1, [%rd1+100]; st.global.b32 [%rd1+100], %r1;"),
              "as constant that thread 0 of block 0 writes");
}

TEST_F(BulkOrderTest, BadMaps) {
  auto problemOf = [](auto change) {
    TensorMap map = matrix(64, 32, 16, 8);
    change(map);
    return emulator::findBadTensorMap(map);
  };
  EXPECT_EQ(problemOf([](TensorMap &) {}), "");
  EXPECT_PART(problemOf([](TensorMap &m) { m.rank = 6; }), "1 to 5 dimensions");
  EXPECT_PART(problemOf([](TensorMap &m) { m.address = 8; }), "no multiple of 16");
  EXPECT_PART(problemOf([](TensorMap &m) { m.sizes[1] = 0; }), "1 to 2^32 elements");
  EXPECT_PART(problemOf([](TensorMap &m) { m.strides[1] = 120; }), "a multiple of 16 bytes");
  EXPECT_PART(problemOf([](TensorMap &m) { m.box[1] = 257; }), "1 to 256 elements");
  EXPECT_PART(problemOf([](TensorMap &m) { m.box[0] = 12; }), "a multiple of 16 is expected");
  EXPECT_PART(problemOf([](TensorMap &m) { m.box[0] = 128, m.swizzle = 128; }), "at most 128");
  EXPECT_PART(problemOf([](TensorMap &m) { m.swizzle = 128; }), "is not known here");
}

} // namespace
