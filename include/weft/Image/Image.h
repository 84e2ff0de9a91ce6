//===- Image.h - pictures as models read them -----------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_IMAGE_IMAGE_H
#define WEFT_IMAGE_IMAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <optional>
#include <vector>

namespace weft {

/// Rows of pixels of three bytes: red, green, blue.
struct Image {
  int64_t height = 0, width = 0;
  std::vector<uint8_t> pixels;

  /// Channel 0, 1, 2: red, green, blue.
  uint8_t at(int64_t y, int64_t x, int64_t channel) const {
    return pixels[size_t((y * width + x) * 3 + channel)];
  }
};

/// Of a PNG or a JPEG file. Grey and palettes become colours, transparency is dropped. Errors name
/// the file.
llvm::Expected<Image> readImage(llvm::StringRef path);

/// The numbers of `resample` in preprocessor_config.json.
enum class Filter { Nearest = 0, Lanczos = 1, Bilinear = 2, Bicubic = 3 };

/// Each pixel is a weighted mean of those that it covers; first rows, then columns, each rounded to
/// a byte.
Image resize(const Image &image, int64_t height, int64_t width, Filter filter);

/// The middle of an image, with black around it where it is too small.
Image centerCrop(const Image &image, int64_t height, int64_t width);

/// Red, green and blue as planes [3, height, width] of numbers.
struct Planes {
  int64_t height = 0, width = 0;
  std::vector<float> values;
};

/// What preprocessor_config.json says is done to an image before a model reads it.
class ImageSteps {
public:
  /// Of the file in `folder`. Errors name the key that is wrong or not supported.
  static llvm::Expected<ImageSteps> load(llvm::StringRef folder);
  /// The text of such a file; `name` stands in errors.
  static llvm::Expected<ImageSteps> parse(llvm::StringRef json, llvm::StringRef name);

  /// Fails if the size that follows is out of all proportion.
  llvm::Expected<Planes> apply(Image image) const;

private:
  struct Size {
    int64_t height = 0, width = 0;
    int64_t shortest = 0; ///< not 0: of the shorter edge; the other keeps the proportion
  };
  friend class StepsReader;

  std::optional<Size> resizeTo, cropTo;
  Filter filter = Filter::Bilinear;
  double scale = 1;
  std::array<double, 3> mean = {0, 0, 0}, deviation = {1, 1, 1};
};

} // namespace weft

#endif // WEFT_IMAGE_IMAGE_H
