//===- RealTest.cpp - real numbers, by the PTX manual ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Expected bits are written out, from PTX ISA 9.7.3 to 9.7.6 and 9.7.9.21 (cvt).
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatorTest.h"

using namespace weft::test;

namespace {

using RealTest = InstructionTest;

constexpr Word inf = 0x7f800000, minusInf = 0xff800000, nan = 0x7fffffff, anyNaN = 0x7fc00001;
constexpr Word minusZero = 0x80000000, tiny = 1, minusTiny = 0x80000001;
constexpr Word minusInf64 = 0xfff0000000000000;

TEST_F(RealTest, Arithmetic) {
  check("add.rn.f32 %d, %a, %b;", 32, 32,
        {{{bits(1.5f), bits(2.25f)}, bits(3.75f)},
         {{inf, minusInf}, nan},
         {{anyNaN, 0}, nan},
         {{tiny, tiny}, 2},
         {{bits(1.0f), 0x33800000}, bits(1.0f)}, // a tie goes to even
         {{0x3f800001, 0x33800000}, 0x3f800002}});
  check("add.rn.ftz.f32 %d, %a, %b;", 32, 32,
        {{{tiny, tiny}, 0},
         {{minusTiny, minusTiny}, minusZero},
         {{0x00800000, 0x80800001}, minusZero}}); // the difference is no normal number
  check("add.sat.f32 %d, %a, %b;", 32, 32,
        {{{bits(0.75f), bits(0.5f)}, bits(1.0f)}, {{bits(-1.0f), 0}, 0}, {{anyNaN, 0}, 0}});
  check("sub.f32 %d, %a, %b;", 32, 32, {{{bits(1.0f), bits(3.0f)}, bits(-2.0f)}});
  check("mul.rn.f32 %d, %a, %b;", 32, 32,
        {{{inf, 0}, nan}, {{bits(-2.0f), 0}, minusZero}, {{0x00800000, bits(0.5f)}, 0x00400000}});
  check("mul.rn.ftz.f32 %d, %a, %b;", 32, 32, {{{0x00800000, bits(0.5f)}, 0}});
  // (1 + 2^-12)^2 - 1 = 2^-11 + 2^-24, of which two roundings would lose the second part.
  check("fma.rn.f32 %d, %a, %b, %c;", 32, 32,
        {{{0x3f800800, 0x3f800800, bits(-1.0f)}, 0x3a000400}});
  check("mad.rn.f32 %d, %a, %b, %c;", 32, 32, {{{bits(2.0f), bits(3.0f), bits(1.0f)}, bits(7.0f)}});
  check("div.rn.f32 %d, %a, %b;", 32, 32,
        {{{bits(1.0f), bits(3.0f)}, 0x3eaaaaab}, {{bits(1.0f), 0}, inf}, {{0, 0}, nan}});
  check("add.f64 %d, %a, %b;", 64, 64, {{{bits(0.1), bits(0.2)}, 0x3fd3333333333334}});
  check("fma.rn.f64 %d, %a, %b, %c;", 64, 64, {{{bits(3.0), bits(5.0), bits(-1.0)}, bits(14.0)}});
}

TEST_F(RealTest, OrderAndSign) {
  check("min.f32 %d, %a, %b;", 32, 32,
        {{{anyNaN, bits(1.0f)}, bits(1.0f)},
         {{anyNaN, anyNaN}, nan},
         {{0, minusZero}, minusZero},
         {{minusZero, 0}, minusZero},
         {{inf, bits(2.0f)}, bits(2.0f)}});
  check("max.f32 %d, %a, %b;", 32, 32, {{{minusZero, 0}, 0}, {{bits(1.0f), anyNaN}, bits(1.0f)}});
  check("max.NaN.f32 %d, %a, %b;", 32, 32, {{{bits(1.0f), anyNaN}, nan}, {{tiny, 0}, tiny}});
  check("max.ftz.f32 %d, %a, %b;", 32, 32, {{{tiny, minusTiny}, 0}});
  check("neg.f32 %d, %a;", 32, 32, {{{0}, minusZero}, {{bits(1.0f)}, bits(-1.0f)}});
  check("abs.f32 %d, %a;", 32, 32, {{{minusInf}, inf}, {{minusZero}, 0}});
  check("abs.ftz.f32 %d, %a;", 32, 32, {{{minusTiny}, 0}});
  check("copysign.f32 %d, %a, %b;", 32, 32, {{{bits(-3.0f), bits(2.0f)}, bits(-2.0f)}});
}

TEST_F(RealTest, Functions) {
  check("sqrt.rn.f32 %d, %a;", 32, 32,
        {{{bits(2.0f)}, 0x3fb504f3}, {{bits(-1.0f)}, nan}, {{minusZero}, minusZero}});
  check("rcp.rn.f32 %d, %a;", 32, 32, {{{minusZero}, minusInf}, {{inf}, 0}});
  check("rsqrt.approx.f32 %d, %a;", 32, 32, {{{bits(4.0f)}, bits(0.5f)}, {{0}, inf}});
  check("ex2.approx.ftz.f32 %d, %a;", 32, 32,
        {{{bits(3.0f)}, bits(8.0f)},
         {{minusInf}, 0},
         {{inf}, inf},
         {{tiny}, bits(1.0f)},
         {{bits(-140.0f)}, 0},
         {{anyNaN}, nan}});
  check("ex2.approx.f32 %d, %a;", 32, 32, {{{bits(-140.0f)}, 0x200}});
  check("lg2.approx.f32 %d, %a;", 32, 32,
        {{{bits(8.0f)}, bits(3.0f)}, {{0}, minusInf}, {{bits(-1.0f)}, nan}, {{inf}, inf}});
  check("lg2.approx.ftz.f32 %d, %a;", 32, 32, {{{tiny}, minusInf}});
  check("sin.approx.f32 %d, %a;", 32, 32, {{{minusZero}, minusZero}, {{inf}, nan}});
  check("cos.approx.f32 %d, %a;", 32, 32, {{{0}, bits(1.0f)}});
  check("tanh.approx.f32 %d, %a;", 32, 32, {{{minusInf}, bits(-1.0f)}, {{0}, 0}});
}

TEST_F(RealTest, Comparisons) {
  auto compare = [&](const std::string &name, std::vector<Row> rows) {
    check("setp." + name + ".f32 %p, %a, %b; selp.b32 %d, 1, 0, %p;", 32, 32, rows);
  };
  compare("eq", {{{0, minusZero}, 1}, {{anyNaN, anyNaN}, 0}});
  compare("ne", {{{anyNaN, 0}, 0}, {{bits(1.0f), 0}, 1}});
  compare("neu", {{{anyNaN, 0}, 1}, {{0, 0}, 0}});
  compare("lt", {{{minusInf, inf}, 1}, {{anyNaN, inf}, 0}, {{0, 0}, 0}});
  compare("geu", {{{anyNaN, inf}, 1}, {{0, tiny}, 0}});
  compare("ge.ftz", {{{0, tiny}, 1}});
  compare("num", {{{inf, 0}, 1}, {{0, anyNaN}, 0}});
  compare("nan", {{{inf, 0}, 0}, {{0, anyNaN}, 1}});
  check("testp.subnormal.f32 %p, %a; selp.b32 %d, 1, 0, %p;", 32, 32,
        {{{tiny}, 1}, {{0}, 0}, {{0x00800000}, 0}});
  check("testp.notanumber.f32 %p, %a; selp.b32 %d, 1, 0, %p;", 32, 32, {{{anyNaN}, 1}, {{inf}, 0}});
}

TEST_F(RealTest, SixteenBits) {
  // 1, 2^-11 and 2049 in f16: 1.0 + 2^-11 is a tie.
  check("add.rn.f16 %d, %a, %b;", 16, 16,
        {{{0x3c00, 0x1000}, 0x3c00},
         {{0x3c01, 0x1000}, 0x3c02},
         {{0x7bff, 0x7bff}, 0x7c00},
         {{0x7c00, 0xfc00}, 0x7fff},
         {{1, 1}, 2}});
  check("mul.f16 %d, %a, %b;", 16, 16, {{{0x4000, 0x4200}, 0x4600}});
  check("fma.rn.f16 %d, %a, %b, %c;", 16, 16,
        {{{0x3c10, 0x3c10, 0xbc00}, 0x2808}, {{0x7bff, 0x0001, 0x3c00}, 0x3c04}});
  // 2^-7 * 2^-2 added to 1 + 2^-7 is a tie of bf16; a little more is none.
  check("fma.rn.bf16 %d, %a, %b, %c;", 16, 16,
        {{{0x3b80, 0x3f80, 0x3f80}, 0x3f80},
         {{0x3b81, 0x3f80, 0x3f80}, 0x3f81},
         {{0x3f80, 0x0001, 0x3f80}, 0x3f80}});
  check("max.f16 %d, %a, %b;", 16, 16, {{{0x7e00, 0x3c00}, 0x3c00}, {{0x8000, 0}, 0}});
  check("neg.bf16 %d, %a;", 16, 16, {{{0x3f80}, 0xbf80}});
  check("add.rn.f16x2 %d, %a, %b;", 32, 32, {{{0x3c004000, 0x3c003c00}, 0x40004200}});
  check("fma.rn.bf16x2 %d, %a, %b, %c;", 32, 32,
        {{{0x3f804000, 0x40004000, 0x3f800000}, 0x40404080}});
  check("setp.lt.f16 %p, %a, %b; selp.b16 %d, 1, 0, %p;", 16, 16,
        {{{0xbc00, 0x3c00}, 1}, {{0x7e00, 0x3c00}, 0}});
}

TEST_F(RealTest, RoundingToFewerBits) {
  check("cvt.rn.bf16.f32 %d, %a;", 16, 32,
        {{{0x3f808000}, 0x3f80},
         {{0x3f818000}, 0x3f82},
         {{0x3f808001}, 0x3f81},
         {{anyNaN}, 0x7fff},
         {{0x7f7fffff}, 0x7f80},
         {{minusInf}, 0xff80},
         {{1}, 0},
         {{0x00008001}, 1}});
  check("cvt.rz.bf16.f32 %d, %a;", 16, 32, {{{0x3f81ffff}, 0x3f81}, {{0x7f7fffff}, 0x7f7f}});
  check("cvt.rn.f16.f32 %d, %a;", 16, 32,
        {{{bits(1.0f)}, 0x3c00},
         {{bits(65519.0f)}, 0x7bff},
         {{bits(65520.0f)}, 0x7c00},
         {{bits(-0x1p-24f)}, 0x8001},
         {{bits(0x1p-25f)}, 0},
         {{bits(0x1.8p-24f)}, 2},
         {{anyNaN}, 0x7fff},
         {{bits(0x1.ff8p-15f)}, 0x3ff},
         {{bits(0x1.ffcp-15f)}, 0x400}});
  check("cvt.rn.bf16x2.f32 %d, %a, %b;", 32, 32, {{{bits(1.0f), bits(2.0f)}, 0x3f804000}});
  check("cvt.rn.relu.f16x2.f32 %d, %a, %b;", 32, 32,
        {{{bits(-1.0f), bits(2.0f)}, 0x00004000}, {{anyNaN, minusZero}, 0x7fff0000}});
  check("cvt.rna.tf32.f32 %d, %a;", 32, 32,
        {{{0x3f801000}, 0x3f802000}, {{0x3f800fff}, 0x3f800000}});
  check(
      "cvt.f32.f16 %d, %a;", 32, 16,
      {{{0x3c00}, bits(1.0f)}, {{0x8001}, bits(-0x1p-24f)}, {{0xfc00}, minusInf}, {{0x7e01}, nan}});
  check("cvt.f32.bf16 %d, %a;", 32, 16, {{{0x3f80}, bits(1.0f)}, {{1}, 0x10000}});
  check("cvt.ftz.f32.f16 %d, %a;", 32, 16, {{{0x8001}, bits(-0x1p-24f)}});
  check("cvt.ftz.f32.bf16 %d, %a;", 32, 16, {{{1}, 0}});
  check("cvt.rn.f32.f64 %d, %a;", 32, 64,
        {{{bits(1.0 + 0x1p-24)}, bits(1.0f)}, {{bits(1e300)}, inf}, {{bits(0x1p-149)}, 1}});
  check("cvt.rz.f32.f64 %d, %a;", 32, 64,
        {{{bits(1e300)}, 0x7f7fffff}, {{bits(1.9999999999)}, 0x3fffffff}});
  check("cvt.rp.f32.f64 %d, %a;", 32, 64, {{{bits(1.0 + 0x1p-40)}, 0x3f800001}});
  check("cvt.f64.f32 %d, %a;", 64, 32, {{{tiny}, bits(0x1p-149)}, {{minusInf}, minusInf64}});
}

TEST_F(RealTest, RoundingToIntegers) {
  check("cvt.rni.f32.f32 %d, %a;", 32, 32,
        {{{bits(2.5f)}, bits(2.0f)}, {{bits(3.5f)}, bits(4.0f)}, {{bits(-0.25f)}, minusZero}});
  check("cvt.rmi.f32.f32 %d, %a;", 32, 32, {{{bits(-2.5f)}, bits(-3.0f)}});
  check("cvt.rpi.ftz.f32.f32 %d, %a;", 32, 32, {{{bits(2.25f)}, bits(3.0f)}, {{tiny}, 0}});
  check("cvt.sat.f32.f32 %d, %a;", 32, 32, {{{bits(2.5f)}, bits(1.0f)}, {{anyNaN}, 0}});
  check("cvt.rzi.s32.f32 %d, %a;", 32, 32,
        {{{bits(-2.75f)}, uint32_t(-2)},
         {{inf}, 0x7fffffff},
         {{minusInf}, 0x80000000},
         {{anyNaN}, 0},
         {{bits(3e9f)}, 0x7fffffff}});
  check("cvt.rzi.u32.f32 %d, %a;", 32, 32,
        {{{bits(-1.0f)}, 0}, {{bits(3e9f)}, 3000000000u}, {{inf}, 0xffffffff}, {{anyNaN}, 0}});
  check("cvt.rni.s32.f32 %d, %a;", 32, 32, {{{bits(0.5f)}, 0}, {{bits(1.5f)}, 2}});
  check("cvt.rzi.s64.f32 %d, %a;", 64, 32,
        {{{anyNaN}, 1ull << 63}, {{inf}, ~0ull >> 1}, {{minusInf}, 1ull << 63}});
  check("cvt.rzi.u64.f64 %d, %a;", 64, 64,
        {{{bits(1.8446744073709550e19)}, 0xfffffffffffff800}, {{bits(2e19)}, ~0ull}});
  check("cvt.rzi.s32.f64 %d, %a;", 32, 64,
        {{{0x7ff8000000000000}, 0x80000000}, {{bits(-1e10)}, 0x80000000}});
  check("{ .reg .b16 %n; cvt.rzi.s16.f32 %n, %a; cvt.s32.s16 %d, %n; }", 32, 32,
        {{{bits(40000.0f)}, 32767}, {{bits(-40000.0f)}, uint32_t(-32768)}});
  check("{ .reg .b32 %n; cvt.rzi.u8.f32 %n, %a; mov.b32 %d, %n; }", 32, 32,
        {{{bits(300.0f)}, 255}});
}

TEST_F(RealTest, FromIntegers) {
  check("cvt.rn.f32.s32 %d, %a;", 32, 32,
        {{{16777217}, bits(16777216.0f)},
         {{16777219}, bits(16777220.0f)},
         {{uint32_t(-1)}, bits(-1.0f)}});
  check("cvt.rn.f32.u32 %d, %a;", 32, 32, {{{0xffffffff}, bits(4294967296.0f)}});
  check("cvt.rz.f32.u32 %d, %a;", 32, 32, {{{0xffffffff}, 0x4f7fffff}});
  check("cvt.rp.f32.s32 %d, %a;", 32, 32,
        {{{16777217}, 0x4b800001}, {{uint32_t(-16777217)}, 0xcb800000}});
  check("cvt.rn.f32.u64 %d, %a;", 32, 64,
        {{{~0ull}, bits(0x1p64f)}, {{0x8000008000000001}, 0x5f000001}});
  check("cvt.rn.f64.s64 %d, %a;", 64, 64, {{{(1ull << 53) + 1}, bits(9007199254740992.0)}});
  check("cvt.rn.f16.s32 %d, %a;", 16, 32, {{{2049}, 0x6800}, {{70000}, 0x7c00}});
}

TEST_F(RealTest, IntegersToIntegers) {
  check("cvt.s32.s8 %d, %a;", 32, 32, {{{0x180}, 0xffffff80}});
  check("cvt.u32.u8 %d, %a;", 32, 32, {{{0x180}, 0x80}});
  check("cvt.u32.u64 %d, %a;", 32, 64, {{{0x123456789}, 0x23456789}});
  check("cvt.s64.s32 %d, %a;", 64, 32, {{{0x80000000}, 0xffffffff80000000}});
  check("cvt.sat.s8.s32 %d, %a;", 32, 32, {{{200}, 127}, {{uint32_t(-200)}, 0xffffff80}});
  check("cvt.sat.u8.s32 %d, %a;", 32, 32, {{{uint32_t(-5)}, 0}, {{300}, 255}});
  check("cvt.sat.u32.s64 %d, %a;", 32, 64, {{{~0ull}, 0}, {{1ull << 40}, 0xffffffff}});
}

TEST_F(RealTest, Moves) {
  check("mov.b64 %d, {%a, %b};", 64, 32, {{{1, 2}, 0x200000001}});
  check("{ .reg .b32 %x; mov.b64 {_, %x}, %a; mov.b32 %d, %x; }", 32, 64, {{{0x700000001}, 7}});
  check("mov.b32 %d, {%a, %b};", 32, 16, {{{1, 2}, 0x20001}});
  check("mov.b32 %d, 0f3F800000;", 32, 32, {{{0}, bits(1.0f)}});
  check("mov.f32 %d, 1.5;", 32, 32, {{{0}, bits(1.5f)}});
  check("mov.b32 %d, -2;", 32, 32, {{{0}, 0xfffffffe}});
}

} // namespace
