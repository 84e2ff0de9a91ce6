//===- ImageTest.cpp - pictures and how they are prepared -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Image/Image.h"

#include "../Import/TemporaryFolder.h"

#include "gtest/gtest.h"

#include <cstdio>

#include <jpeglib.h>
#include <png.h>

using namespace weft;

using Bytes = std::vector<uint8_t>;

// 5 rows, 4 columns: byte i is 37 i modulo 251.
static Image pattern() {
  Image image{5, 4, {}};
  for (int i = 0; i < 60; ++i)
    image.pixels.push_back(uint8_t(i * 37 % 251));
  return image;
}

// What Pillow 9.4 makes of the pattern.
TEST(Resize, AsPillow) {
  EXPECT_EQ(
      resize(pattern(), 2, 3, Filter::Nearest).pixels,
      (Bytes{193, 230, 16, 164, 201, 238, 24, 61, 98, 77, 114, 151, 48, 85, 122, 159, 196, 233}));
  EXPECT_EQ(resize(pattern(), 2, 3, Filter::Lanczos).pixels,
            (Bytes{113, 136, 91, 147, 110, 148, 114, 84, 121, 111, 134, 128, 158, 122, 101, 138,
                   109, 158}));
  EXPECT_EQ(resize(pattern(), 2, 3, Filter::Bilinear).pixels,
            (Bytes{115, 135, 97, 143, 112, 143, 114, 87, 124, 107, 127, 125, 152, 121, 107, 142,
                   115, 152}));
  EXPECT_EQ(resize(pattern(), 2, 3, Filter::Bicubic).pixels,
            (Bytes{113, 136, 93, 146, 110, 147, 112, 84, 121, 105, 128, 128, 156, 121, 103, 142,
                   114, 156}));
  EXPECT_EQ(resize(pattern(), 7, 2, Filter::Bicubic).pixels,
            (Bytes{71,  76,  120, 157, 72,  109, 103, 134, 98, 109, 105, 148, 149, 160,
                   104, 103, 109, 155, 179, 111, 148, 173, 64, 101, 138, 149, 94,  127,
                   133, 145, 105, 136, 101, 136, 132, 151, 91, 97,  140, 175, 91,  129}));
  EXPECT_EQ(resize(pattern(), 5, 4, Filter::Bicubic).pixels, pattern().pixels);
}

TEST(CenterCrop, InsideAndBeyond) {
  Image image{3, 3, {}};
  for (uint8_t i = 1; i <= 9; ++i)
    image.pixels.insert(image.pixels.end(), 3, i);
  auto reds = [](const Image &cropped) {
    Bytes result;
    for (size_t i = 0; i < cropped.pixels.size(); i += 3)
      result.push_back(cropped.pixels[i]);
    return result;
  };
  EXPECT_EQ(reds(centerCrop(image, 1, 1)), (Bytes{5}));
  EXPECT_EQ(reds(centerCrop(image, 2, 2)), (Bytes{1, 2, 4, 5}));
  EXPECT_EQ(reds(centerCrop(image, 1, 5)), (Bytes{0, 4, 5, 6, 0}));
  EXPECT_EQ(reds(centerCrop(image, 4, 1)), (Bytes{0, 2, 5, 8}));
}

static llvm::Expected<ImageSteps> steps(std::string json) {
  std::replace(json.begin(), json.end(), '\'', '"');
  return ImageSteps::parse("{" + json + "}", "p.json");
}

static std::string errorOf(const std::string &json) {
  auto result = steps(json);
  return result ? "none" : llvm::toString(result.takeError());
}

TEST(ImageSteps, InOrder) {
  Image image{2, 4, Bytes(24, 255)};
  auto planes = llvm::cantFail(
      llvm::cantFail(steps("'size': {'shortest_edge': 4}, 'do_center_crop': true, 'crop_size': "
                           "{'height': 2, 'width': 6}, 'image_mean': [0, 0.5, 1], 'image_std': "
                           "[1, 0.5, 2]"))
          .apply(image));
  EXPECT_EQ(planes.height, 2);
  EXPECT_EQ(planes.width, 6);
  EXPECT_EQ(planes.values[0], 1.0f);
  EXPECT_EQ(planes.values[12], 1.0f);
  EXPECT_EQ(planes.values[24], 0.0f);

  planes = llvm::cantFail(
      llvm::cantFail(steps("'do_resize': false, 'do_rescale': false, 'do_normalize': false"))
          .apply(image));
  EXPECT_EQ(planes.width, 4);
  EXPECT_EQ(planes.values[0], 255.0f);
}

TEST(ImageSteps, SizesOfOneNumber) {
  std::string rest = ", 'do_normalize': false, 'do_center_crop': false";
  Image image{2, 4, Bytes(24, 0)};
  auto width = [&](const char *type) {
    auto read = steps("'size': 8, 'feature_extractor_type': '" + std::string(type) + "'" + rest);
    return llvm::cantFail(llvm::cantFail(std::move(read)).apply(image)).width;
  };
  for (const char *type :
       {"ViTFeatureExtractor", "DeiTImageProcessor", "BeitImageProcessor", "SiglipImageProcessor"})
    EXPECT_EQ(width(type), 8) << type;
  for (const char *type : {"CLIPFeatureExtractor", "BitImageProcessor"})
    EXPECT_EQ(width(type), 16) << type;
}

TEST(ImageSteps, LeftToTheClass) {
  auto planes = [](const char *type, std::string rest) {
    auto read = steps("'size': {'height': 2, 'width': 3}, 'do_normalize': false, 'do_rescale': "
                      "false, 'image_processor_type': '" +
                      std::string(type) + "'" + rest);
    return llvm::cantFail(llvm::cantFail(std::move(read)).apply(pattern()));
  };
  std::string whole = ", 'do_center_crop': false";
  for (const char *type : {"CLIPImageProcessor", "DeiTImageProcessor", "BeitImageProcessor",
                           "BitImageProcessorFast", "SiglipImageProcessor"})
    EXPECT_EQ(planes(type, whole).values[2], 112.0f) << type;
  for (const char *type : {"ViTImageProcessor", "Other"})
    EXPECT_EQ(planes(type, whole).values[2], 114.0f) << type;
  EXPECT_EQ(planes("CLIPImageProcessor", whole + ", 'resample': 2").values[2], 114.0f);

  std::string cut = ", 'crop_size': {'height': 1, 'width': 1}";
  for (const char *type : {"CLIPImageProcessor", "DeiTFeatureExtractor", "BitImageProcessor"})
    EXPECT_EQ(planes(type, cut).width, 1) << type;
  for (const char *type : {"ViTImageProcessor", "SiglipImageProcessor"})
    EXPECT_EQ(planes(type, cut).width, 3) << type;
  EXPECT_EQ(planes("CLIPImageProcessor", cut + whole).width, 3);
  EXPECT_EQ(planes("CLIPImageProcessor", "").width, 224);
}

TEST(ImageSteps, KeysThatAreNoSteps) {
  EXPECT_EQ(errorOf("'do_resize': false, 'do_normalize': false, 'do_convert_rgb': true, "
                    "'processor_class': 'X'"),
            "none");
}

TEST(ImageSteps, Errors) {
  EXPECT_EQ(errorOf(""), "p.json: size: is missing");
  EXPECT_EQ(errorOf("'crop_pct': 0.9"), "p.json: crop_pct: is not supported");
  EXPECT_EQ(errorOf("'do_resize': 1"), "p.json: do_resize: expected true or false, found int");
  EXPECT_EQ(
      errorOf("'size': {'longest_edge': 3}"),
      "p.json: size: expected height and width, or shortest_edge, found {\"longest_edge\":3}");
  EXPECT_EQ(errorOf("'size': 3"),
            "p.json: size: one number, and the file does not say of what: expected height and "
            "width, or shortest_edge");
  EXPECT_EQ(errorOf("'size': {'height': 0, 'width': 2}"),
            "p.json: size: expected numbers of pixels");
  EXPECT_EQ(errorOf("'do_resize': false, 'resample': 4"),
            "p.json: resample: 4 is not supported: 0 (nearest), 1 (Lanczos), 2 (bilinear) and 3 "
            "(bicubic) are");
  EXPECT_EQ(errorOf("'do_resize': false, 'image_mean': [1]"),
            "p.json: image_mean: expected three numbers");
  EXPECT_EQ(errorOf("'do_resize': false, 'image_mean': [0, 0, 0], 'image_std': [1, 0, 1]"),
            "p.json: image_std: a number is 0");
  Image image{1, 2000, Bytes(6000, 0)};
  auto wide =
      llvm::cantFail(steps("'size': {'shortest_edge': 100}, 'do_normalize': false")).apply(image);
  EXPECT_EQ(llvm::toString(wide.takeError()),
            "the image would have 100 rows and 200000 columns after it is resized");
}

TEST(ReadImage, Png) {
  TemporaryFolder folder;
  std::string path = folder.path("a.png");
  auto write = [&](uint32_t format, const Bytes &pixels) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = 2;
    image.height = 1;
    image.format = format;
    png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr);
    return llvm::cantFail(readImage(path)).pixels;
  };
  EXPECT_EQ(write(PNG_FORMAT_RGB, {1, 2, 3, 4, 5, 6}), (Bytes{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(write(PNG_FORMAT_RGBA, {1, 2, 3, 200, 4, 5, 6, 9}), (Bytes{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(write(PNG_FORMAT_GRAY, {7, 9}), (Bytes{7, 7, 7, 9, 9, 9}));
}

static Bytes grayJpeg() {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors;
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char *memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &memory, &size);
  jpeg.image_width = jpeg.image_height = 8;
  jpeg.input_components = 1;
  jpeg.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  Bytes row(8, 128);
  for (JSAMPROW start = row.data(); jpeg.next_scanline < 8;)
    jpeg_write_scanlines(&jpeg, &start, 1);
  jpeg_finish_compress(&jpeg);
  Bytes result(memory, memory + size);
  jpeg_destroy_compress(&jpeg);
  free(memory);
  return result;
}

static llvm::StringRef text(llvm::ArrayRef<uint8_t> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

TEST(ReadImage, Jpeg) {
  TemporaryFolder folder;
  Bytes bytes = grayJpeg();
  folder.write("a.jpg", text(bytes));
  Image image = llvm::cantFail(readImage(folder.path("a.jpg")));
  EXPECT_EQ(image.width, 8);
  EXPECT_EQ(image.pixels, Bytes(192, 128));
}

// Cut short anywhere, a file is refused in one line.
TEST(ReadImage, DamagedFiles) {
  TemporaryFolder folder;
  Bytes bytes = grayJpeg();
  for (size_t size = 2; size + 4 < bytes.size(); size += 5) {
    folder.write("a.jpg", text(llvm::ArrayRef(bytes).take_front(size)));
    auto image = readImage(folder.path("a.jpg"));
    std::string message = image ? "none" : llvm::toString(image.takeError());
    EXPECT_NE(message.find("a.jpg: error: damaged JPEG: "), std::string::npos) << size << message;
  }
  folder.write("a.png", llvm::StringRef("\x89PNG\r\n\x1a\n\0\0", 10));
  auto png = readImage(folder.path("a.png"));
  EXPECT_EQ(folder.anonymous(llvm::toString(png.takeError())),
            "DIR/a.png: error: damaged PNG: the file is cut short");
  folder.write("a.gif", "GIF89a");
  auto gif = readImage(folder.path("a.gif"));
  EXPECT_EQ(folder.anonymous(llvm::toString(gif.takeError())),
            "DIR/a.gif: error: neither a PNG nor a JPEG file");
}
