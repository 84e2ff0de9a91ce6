//===- onednn.cpp - products of oneDNN, for run_onednn.py -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include <cstring>
#include <memory>
#include <omp.h>
#include <oneapi/dnnl/dnnl.hpp>

using namespace dnnl;
using Type = memory::data_type;
using Format = memory::format_tag;

namespace {
// A product whose weights lie as oneDNN likes them best, reordered once.
struct Product {
  engine cpu{engine::kind::cpu, 0};
  stream work{cpu};
  memory x, w, y;
  matmul call;
};
} // namespace

static std::unique_ptr<Product> product;

static matmul::primitive_desc describe(const engine &cpu, const memory::desc &x,
                                       const memory::desc &w, const memory::desc &y) {
#if DNNL_VERSION_MAJOR >= 3
  return matmul::primitive_desc(cpu, x, w, y);
#else
  return matmul::primitive_desc(matmul::desc(x, w, y), cpu);
#endif
}

// Small numbers of either sign: the bytes are those of such numbers in every type.
static void fill(memory &tensor, size_t bytesOfOne) {
  auto *bytes = static_cast<unsigned char *>(tensor.get_data_handle());
  size_t size = tensor.get_desc().get_size();
  for (size_t i = 0; i < size; ++i)
    bytes[i] = bytesOfOne == 1 || (i + 1) % bytesOfOne ? (i * 37) % 101 : 0x3c | (i & 8) << 4;
}

extern "C" int prepare(long m, long k, long n, int bits) try {
  Type in = bits == 32 ? Type::f32 : bits == 16 ? Type::bf16 : Type::u8;
  Type weights = bits == 8 ? Type::s8 : in, out = bits == 16 ? in : Type::f32;
  product = std::make_unique<Product>();
  engine &cpu = product->cpu;
  memory::desc x({m, k}, in, Format::ab), any({k, n}, weights, Format::any),
      plain({k, n}, weights, Format::ab), y({m, n}, out, Format::ab);
  auto chosen = describe(cpu, x, any, y);
  product->x = memory(x, cpu);
  memory given(plain, cpu);
  fill(product->x, bits / 8);
  fill(given, bits / 8);
  product->w = memory(chosen.weights_desc(), cpu);
  product->y = memory(y, cpu);
  reorder(given, product->w).execute(product->work, given, product->w);
  product->work.wait();
  product->call = matmul(chosen);
  return 0;
} catch (const error &) {
  return 1;
}

extern "C" void run() {
  product->call.execute(
      product->work,
      {{DNNL_ARG_SRC, product->x}, {DNNL_ARG_WEIGHTS, product->w}, {DNNL_ARG_DST, product->y}});
  product->work.wait();
}

extern "C" void threads(int count) { omp_set_num_threads(count); }
extern "C" void version(int *parts) {
  const dnnl_version_t *v = dnnl_version();
  parts[0] = v->major;
  parts[1] = v->minor;
  parts[2] = v->patch;
}
