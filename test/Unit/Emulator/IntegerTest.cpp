//===- IntegerTest.cpp - integers and bits, by the PTX manual -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Expected values are written out, from PTX ISA 9.7.1, 9.7.2 and 9.7.8.
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatorTest.h"

using namespace weft::test;

namespace {

using IntegerTest = InstructionTest;

TEST_F(IntegerTest, Sums) {
  check("add.s32 %d, %a, %b;", 32, 32,
        {{{1, 2}, 3}, {{0x7fffffff, 1}, 0x80000000}, {{0xffffffff, 1}, 0}});
  check("add.sat.s32 %d, %a, %b;", 32, 32,
        {{{0x7fffffff, 1}, 0x7fffffff}, {{0x80000000, 0xffffffff}, 0x80000000}, {{5, 6}, 11}});
  check("sub.u16 %d, %a, %b;", 16, 16, {{{1, 2}, 0xffff}, {{9, 2}, 7}});
  check("add.s64 %d, %a, %b;", 64, 64, {{{0xffffffff, 1}, 0x100000000}});
  check("{ .reg .b32 %lo; add.cc.u32 %lo, %a, %b; addc.u32 %d, %c, %e; }", 32, 32,
        {{{0xffffffff, 1, 3, 4}, 8}, {{0xfffffffe, 1, 3, 4}, 7}});
  check("{ .reg .b32 %lo; sub.cc.u32 %lo, %a, %b; subc.u32 %d, %c, %e; }", 32, 32,
        {{{0, 1, 9, 4}, 4}, {{1, 1, 9, 4}, 5}});
}

TEST_F(IntegerTest, Pairs) {
  check("add.s16x2 %d, %a, %b;", 32, 32,
        {{{0x0001ffff, 0x00020001}, 0x00030000}, {{0x7fff0000, 0x00010005}, 0x80000005}});
  check("add.u16x2 %d, %a, %b;", 32, 32, {{{0xffff8000, 0x00018000}, 0}});
  check("min.s16x2 %d, %a, %b;", 32, 32, {{{0xffff0003, 0x00010002}, 0xffff0002}});
  check("max.s16x2 %d, %a, %b;", 32, 32, {{{0xffff0003, 0x00010002}, 0x00010003}});
  check("max.u16x2 %d, %a, %b;", 32, 32, {{{0xffff0003, 0x00010002}, 0xffff0003}});
  check("min.u16x2 %d, %a, %b;", 32, 32, {{{0xffff0003, 0x00010002}, 0x00010002}});
}

TEST_F(IntegerTest, Products) {
  check("mul.lo.s32 %d, %a, %b;", 32, 32, {{{0x10000, 0x10001}, 0x10000}, {{7, 6}, 42}});
  check("mul.hi.s32 %d, %a, %b;", 32, 32, {{{0xffffffff, 2}, 0xffffffff}, {{1 << 30, 8}, 2}});
  check("mul.hi.u32 %d, %a, %b;", 32, 32, {{{0xffffffff, 2}, 1}});
  check("mul.hi.u64 %d, %a, %b;", 64, 64, {{{~0ull, ~0ull}, ~0ull - 1}});
  check("mul.wide.s32 %d, %a, %b;", 64, 32, {{{0xffffffff, 2}, ~0ull - 1}});
  check("mul.wide.u32 %d, %a, %b;", 64, 32, {{{0xffffffff, 2}, 0x1fffffffe}});
  check("mul.wide.s16 %d, %a, %b;", 32, 16, {{{0xffff, 3}, 0xfffffffd}});
  check("mad.lo.s32 %d, %a, %b, %c;", 32, 32, {{{3, 4, 5}, 17}});
  check("mad.hi.u32 %d, %a, %b, %c;", 32, 32, {{{0xffffffff, 2, 5}, 6}});
  check("dp4a.s32.s32 %d, %a, %b, %c;", 32, 32, {{{0xff020304, 0x01010101, 10}, 18}});
  check("dp4a.u32.s32 %d, %a, %b, %c;", 32, 32, {{{0xff, 0xff, 0}, uint32_t(-255)}});
}

TEST_F(IntegerTest, Quotients) {
  check("div.s32 %d, %a, %b;", 32, 32,
        {{{uint32_t(-7), 2}, uint32_t(-3)},
         {{0x80000000, 0xffffffff}, 0x80000000},
         {{7, 0}, 0xffffffff}});
  check("rem.s32 %d, %a, %b;", 32, 32,
        {{{uint32_t(-7), 2}, uint32_t(-1)}, {{0x80000000, 0xffffffff}, 0}, {{7, 0}, 7}});
  check("div.u32 %d, %a, %b;", 32, 32, {{{uint32_t(-7), 2}, 0x7ffffffc}, {{7, 0}, 0xffffffff}});
  check("rem.u64 %d, %a, %b;", 64, 64, {{{~0ull, 10}, 5}, {{42, ~0ull}, 42}});
}

TEST_F(IntegerTest, OrderAndSign) {
  check("min.s32 %d, %a, %b;", 32, 32, {{{0xffffffff, 1}, 0xffffffff}});
  check("min.u32 %d, %a, %b;", 32, 32, {{{0xffffffff, 1}, 1}});
  check("max.s64 %d, %a, %b;", 64, 64, {{{~0ull, 1}, 1}});
  check("max.relu.s32 %d, %a, %b;", 32, 32, {{{0xfffffffe, 0xffffffff}, 0}, {{0xfffffffe, 5}, 5}});
  check("min.relu.s32 %d, %a, %b;", 32, 32, {{{0xfffffffe, 5}, 0}, {{3, 5}, 3}});
  check("neg.s32 %d, %a;", 32, 32, {{{5}, uint32_t(-5)}, {{0x80000000}, 0x80000000}});
  check("abs.s32 %d, %a;", 32, 32, {{{uint32_t(-5)}, 5}, {{0x80000000}, 0x80000000}});
}

TEST_F(IntegerTest, Shifts) {
  check("shl.b32 %d, %a, %b;", 32, 32,
        {{{3, 4}, 48}, {{3, 31}, 0x80000000}, {{3, 32}, 0}, {{3, 0xffffffff}, 0}});
  check("shr.u32 %d, %a, %b;", 32, 32, {{{0x80000000, 31}, 1}, {{0x80000000, 32}, 0}});
  check("shr.s32 %d, %a, %b;", 32, 32,
        {{{0x80000000, 31}, 0xffffffff}, {{0x80000000, 32}, 0xffffffff}, {{0x40000000, 77}, 0}});
  check("{ .reg .b32 %n; cvt.u32.u64 %n, %b; shl.b64 %d, %a, %n; }", 64, 64,
        {{{1, 63}, 1ull << 63}, {{1, 64}, 0}});
  check("{ .reg .b32 %n; cvt.u32.u16 %n, %b; shr.s16 %d, %a, %n; }", 16, 16,
        {{{0x8000, 15}, 0xffff}, {{0x8000, 16}, 0xffff}, {{0x4000, 16}, 0}});
  check("shf.l.wrap.b32 %d, %a, %b, %c;", 32, 32,
        {{{0x80000000, 1, 1}, 3}, {{0x80000000, 1, 33}, 3}, {{7, 9, 0}, 9}});
  check("shf.r.wrap.b32 %d, %a, %b, %c;", 32, 32, {{{0x10, 1, 4}, 0x10000001}, {{7, 9, 32}, 7}});
  check("shf.l.clamp.b32 %d, %a, %b, %c;", 32, 32, {{{7, 9, 32}, 7}, {{7, 9, 99}, 7}});
  check("shf.r.clamp.b32 %d, %a, %b, %c;", 32, 32, {{{7, 9, 32}, 9}, {{7, 9, 99}, 9}});
}

TEST_F(IntegerTest, Fields) {
  check("bfe.u32 %d, %a, %b, %c;", 32, 32,
        {{{0xabcd, 4, 8}, 0xbc}, {{0xabcd, 4, 0}, 0}, {{0x80000000, 31, 9}, 1}, {{~0u, 40, 3}, 0}});
  check("bfe.s32 %d, %a, %b, %c;", 32, 32,
        {{{0xabcd, 4, 8}, 0xffffffbc},
         {{0x40, 4, 2}, 0},
         {{0x80000000, 31, 9}, 0xffffffff},
         {{0x80000000, 40, 3}, 0xffffffff}});
  check("bfi.b32 %d, %a, %b, %c, %e;", 32, 32,
        {{{0xff, 0, 4, 8}, 0xff0}, {{0, 0xffffffff, 28, 8}, 0x0fffffff}, {{5, 9, 0, 0}, 9}});
  check("brev.b32 %d, %a;", 32, 32, {{{1}, 0x80000000}});
  check("popc.b32 %d, %a;", 32, 32, {{{0xf0f0}, 8}});
  check("popc.b64 %d, %a;", 32, 64, {{{~0ull}, 64}});
  check("clz.b32 %d, %a;", 32, 32, {{{0}, 32}, {{1}, 31}});
  check("clz.b64 %d, %a;", 32, 64, {{{0}, 64}, {{1ull << 40}, 23}});
  check("bfind.u32 %d, %a;", 32, 32, {{{0}, 0xffffffff}, {{0x100}, 8}});
  check("bfind.s32 %d, %a;", 32, 32, {{{0xffffffff}, 0xffffffff}, {{0xfffffeff}, 8}});
  check("bfind.shiftamt.u32 %d, %a;", 32, 32, {{{0x100}, 23}, {{0}, 0xffffffff}});
}

TEST_F(IntegerTest, BytesAndLogic) {
  check("prmt.b32 %d, %a, %b, %c;", 32, 32,
        {{{0x33221100, 0x77665544, 0x7531}, 0x77553311},
         {{0x80, 0, 0x8888}, 0xffffffff},
         {{0x70, 0, 0x8888}, 0}});
  check("prmt.b32.f4e %d, %a, %b, %c;", 32, 32, {{{0x33221100, 0x77665544, 1}, 0x44332211}});
  check("prmt.b32.b4e %d, %a, %b, %c;", 32, 32, {{{0x33221100, 0x77665544, 1}, 0x66770011}});
  check("prmt.b32.rc16 %d, %a, %b, %c;", 32, 32, {{{0x33221100, 0, 1}, 0x33223322}});
  check("and.b32 %d, %a, %b;", 32, 32, {{{0xff0, 0x0ff}, 0x0f0}});
  check("or.b64 %d, %a, %b;", 64, 64, {{{0xff0, 1ull << 60}, 0xff0 | 1ull << 60}});
  check("xor.b16 %d, %a, %b;", 16, 16, {{{0xffff, 1}, 0xfffe}});
  check("not.b32 %d, %a;", 32, 32, {{{1}, 0xfffffffe}});
  check("cnot.b32 %d, %a;", 32, 32, {{{0}, 1}, {{7}, 0}});
  // a & (b | c): table 0xf0 & (0xcc | 0xaa)
  check("lop3.b32 %d, %a, %b, %c, 224;", 32, 32, {{{0xf0, 0xcc, 0xaa}, 0xe0}});
}

TEST_F(IntegerTest, Choices) {
  check("setp.lt.s32 %p, %a, %b; selp.b32 %d, 1, 2, %p;", 32, 32,
        {{{0xffffffff, 0}, 1}, {{0, 0xffffffff}, 2}});
  check("setp.lo.u32 %p, %a, %b; selp.b32 %d, 1, 2, %p;", 32, 32, {{{0xffffffff, 0}, 2}});
  // q = !(a >= b) and !(c == 0)
  check("setp.eq.s32 %p, %c, 0; setp.ge.and.s32 %p|%q, %a, %b, !%p; selp.b32 %d, 1, 2, %q;", 32, 32,
        {{{1, 2, 0}, 2}, {{1, 2, 5}, 1}, {{2, 1, 5}, 2}});
  check("slct.u32.s32 %d, %a, %b, %c;", 32, 32, {{{1, 2, 0}, 1}, {{1, 2, 0x80000000}, 2}});
  check("set.eq.u32.u32 %d, %a, %b;", 32, 32, {{{1, 1}, 0xffffffff}, {{1, 2}, 0}});
  check("mov.b32 %d, 5; setp.eq.s32 %p, %a, 1; @%p mov.b32 %d, 6; @!%p add.s32 %d, %d, 10;", 32, 32,
        {{{1}, 6}, {{2}, 15}});
}

} // namespace
