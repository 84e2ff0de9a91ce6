//===- Resize.cpp - images of another size --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The arithmetic is that of Pillow, which the models were trained with: weights are integers of 22
// bits after the point, and every pass rounds to bytes.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Image/Image.h"

#include <algorithm>
#include <cmath>

using namespace weft;

static double sinc(double x) { return x == 0 ? 1 : std::sin(x * M_PI) / (x * M_PI); }

static double bicubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

static double weightAt(Filter filter, double x) {
  switch (filter) {
  case Filter::Nearest:
    return 0;
  case Filter::Lanczos:
    return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
  case Filter::Bilinear:
    return std::max(0.0, 1 - std::abs(x));
  case Filter::Bicubic:
    return bicubic(x);
  }
  return 0;
}

static double supportOf(Filter filter) {
  return filter == Filter::Lanczos ? 3 : filter == Filter::Bicubic ? 2 : 1;
}

namespace {

// The pixels that one new pixel is made of, from `first` on.
struct Window {
  int64_t first = 0;
  std::vector<int32_t> weights; // sum: about 2^22
};

} // namespace

static constexpr int fractionBits = 22;

static Window windowOf(int64_t index, int64_t from, int64_t to, Filter filter) {
  double scale = double(from) / double(to), stretch = std::max(scale, 1.0);
  double support = supportOf(filter) * stretch, center = (double(index) + 0.5) * scale;
  Window window;
  window.first = std::max<int64_t>(0, int64_t(std::floor(center - support + 0.5)));
  int64_t end = std::min(from, int64_t(std::floor(center + support + 0.5)));
  std::vector<double> weights;
  double sum = 0;
  for (int64_t i = window.first; i < end; ++i) {
    weights.push_back(weightAt(filter, (double(i) - center + 0.5) / stretch));
    sum += weights.back();
  }
  for (double weight : weights) {
    double part = sum != 0 ? weight / sum : weight;
    window.weights.push_back(int32_t(part * (1 << fractionBits) + (part < 0 ? -0.5 : 0.5)));
  }
  return window;
}

// The same image with rows and columns exchanged.
static Image transposed(const Image &image) {
  Image result{image.width, image.height, std::vector<uint8_t>(image.pixels.size())};
  for (int64_t y = 0; y < image.height; ++y)
    for (int64_t x = 0; x < image.width; ++x)
      for (int64_t c = 0; c < 3; ++c)
        result.pixels[size_t((x * image.height + y) * 3 + c)] = image.at(y, x, c);
  return result;
}

static Image resizeRows(const Image &image, int64_t width, Filter filter) {
  Image result{image.height, width, std::vector<uint8_t>(size_t(image.height * width * 3))};
  for (int64_t x = 0; x < width; ++x) {
    Window window = windowOf(x, image.width, width, filter);
    for (int64_t y = 0; y < image.height; ++y)
      for (int64_t c = 0; c < 3; ++c) {
        int64_t sum = 1 << (fractionBits - 1);
        for (size_t i = 0; i < window.weights.size(); ++i)
          sum += int64_t(window.weights[i]) * image.at(y, window.first + int64_t(i), c);
        result.pixels[size_t((y * width + x) * 3 + c)] =
            uint8_t(std::clamp<int64_t>(sum >> fractionBits, 0, 255));
      }
  }
  return result;
}

static Image resizeNearest(const Image &image, int64_t height, int64_t width) {
  Image result{height, width, {}};
  auto source = [](int64_t index, int64_t from, int64_t to) {
    return std::min(from - 1, int64_t((double(index) + 0.5) * (double(from) / double(to))));
  };
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t c = 0; c < 3; ++c)
        result.pixels.push_back(
            image.at(source(y, image.height, height), source(x, image.width, width), c));
  return result;
}

Image weft::resize(const Image &image, int64_t height, int64_t width, Filter filter) {
  if (filter == Filter::Nearest)
    return resizeNearest(image, height, width);
  Image result = image;
  if (width != image.width)
    result = resizeRows(result, width, filter);
  if (height != image.height)
    result = transposed(resizeRows(transposed(result), height, filter));
  return result;
}

Image weft::centerCrop(const Image &image, int64_t height, int64_t width) {
  // Where the window begins in the image: too small images stand in the middle of it, on the far
  // side if that is between two pixels.
  auto begin = [](int64_t size, int64_t window) {
    return window <= size ? (size - window) / 2 : -((window - size + 1) / 2);
  };
  int64_t top = begin(image.height, height), left = begin(image.width, width);
  Image result{height, width, std::vector<uint8_t>(size_t(height * width * 3))};
  for (int64_t y = std::max<int64_t>(0, -top); y < height && y + top < image.height; ++y)
    for (int64_t x = std::max<int64_t>(0, -left); x < width && x + left < image.width; ++x)
      for (int64_t c = 0; c < 3; ++c)
        result.pixels[size_t((y * width + x) * 3 + c)] = image.at(y + top, x + left, c);
  return result;
}
