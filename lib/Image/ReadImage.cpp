//===- ReadImage.cpp - PNG and JPEG files ---------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Both libraries leave a function by longjmp when a file is bad: functions that call them own
// nothing that a destructor would have to free.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Image/Image.h"
#include "weft/Support/InputFile.h"

#include <csetjmp>
#include <cstdio>
#include <cstring>

#include <jpeglib.h>
#include <png.h>

using namespace weft;

// No picture that a model reads has more; files that say so are not believed.
static constexpr int64_t longestEdge = 20000, mostPixels = int64_t(1) << 26;

static bool tooLarge(int64_t height, int64_t width) {
  return height < 1 || width < 1 || height > longestEdge || width > longestEdge ||
         height * width > mostPixels;
}

static const char tooLargeText[] = "the image has no pixels or too many";

//===----------------------------------------------------------------------------------------===//
// PNG
//===----------------------------------------------------------------------------------------===//

namespace {

struct Reader {
  llvm::StringRef rest;
  char message[200] = "";
};

} // namespace

static void readPngBytes(png_structp png, png_bytep to, size_t count) {
  auto *reader = static_cast<Reader *>(png_get_io_ptr(png));
  if (count > reader->rest.size())
    png_error(png, "the file is cut short");
  std::memcpy(to, reader->rest.data(), count);
  reader->rest = reader->rest.drop_front(count);
}

static void failPng(png_structp png, png_const_charp message) {
  auto *reader = static_cast<Reader *>(png_get_error_ptr(png));
  std::snprintf(reader->message, sizeof reader->message, "%s", message);
  png_longjmp(png, 1);
}

static void ignorePng(png_structp, png_const_charp) {}

// Every kind of pixels becomes red, green and blue bytes.
static void toColours(png_structp png, png_infop info) {
  png_set_expand(png);
  png_set_strip_16(png);
  png_set_strip_alpha(png);
  png_set_gray_to_rgb(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
}

// False after an error, which the reader has the message of.
static bool readPng(png_structp png, png_infop info, Image &image) {
  if (setjmp(png_jmpbuf(png)))
    return false;
  png_read_info(png, info);
  image.height = png_get_image_height(png, info);
  image.width = png_get_image_width(png, info);
  if (tooLarge(image.height, image.width))
    png_error(png, tooLargeText);
  int passes = png_get_interlace_type(png, info) == PNG_INTERLACE_ADAM7 ? 7 : 1;
  toColours(png, info);
  if (png_get_rowbytes(png, info) != size_t(image.width) * 3)
    png_error(png, "its pixels are of no known kind");
  image.pixels.resize(size_t(image.height * image.width * 3));
  for (int pass = 0; pass < passes; ++pass)
    for (int64_t y = 0; y < image.height; ++y)
      png_read_row(png, image.pixels.data() + y * image.width * 3, nullptr);
  return true;
}

static llvm::Expected<Image> decodePng(llvm::StringRef path, llvm::StringRef bytes) {
  Reader reader{bytes};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, failPng, ignorePng);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info)
    return llvm::createStringError(path + ": error: out of memory");
  png_set_read_fn(png, &reader, readPngBytes);
  Image image;
  bool done = readPng(png, info, image);
  png_destroy_read_struct(&png, &info, nullptr);
  if (!done)
    return llvm::createStringError(path + ": error: damaged PNG: " + reader.message);
  return std::move(image);
}

//===----------------------------------------------------------------------------------------===//
// JPEG
//===----------------------------------------------------------------------------------------===//

namespace {

struct JpegErrors {
  jpeg_error_mgr manager; // the first member: the library hands out its address
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX] = "";
};

} // namespace

static void failJpeg(j_common_ptr jpeg) {
  auto *errors = reinterpret_cast<JpegErrors *>(jpeg->err);
  jpeg->err->format_message(jpeg, errors->message);
  std::longjmp(errors->back, 1);
}

// The library mends what is cut short and warns; a picture with a hole is no picture here.
static void warnJpeg(j_common_ptr jpeg, int level) {
  if (level < 0)
    failJpeg(jpeg);
}

static bool readJpeg(jpeg_decompress_struct &jpeg, JpegErrors &errors, llvm::StringRef bytes,
                     Image &image) {
  if (setjmp(errors.back))
    return false;
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size());
  jpeg_read_header(&jpeg, TRUE);
  jpeg.out_color_space = JCS_RGB;
  jpeg_start_decompress(&jpeg);
  image.height = jpeg.output_height;
  image.width = jpeg.output_width;
  if (tooLarge(image.height, image.width)) {
    std::snprintf(errors.message, sizeof errors.message, "%s", tooLargeText);
    return false;
  }
  image.pixels.resize(size_t(image.height * image.width * 3));
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = image.pixels.data() + size_t(jpeg.output_scanline) * size_t(image.width) * 3;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_decompress(&jpeg);
  return true;
}

static llvm::Expected<Image> decodeJpeg(llvm::StringRef path, llvm::StringRef bytes) {
  jpeg_decompress_struct jpeg{};
  JpegErrors errors{};
  jpeg.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = failJpeg;
  errors.manager.emit_message = warnJpeg;
  Image image;
  bool done = readJpeg(jpeg, errors, bytes, image);
  jpeg_destroy_decompress(&jpeg);
  if (!done)
    return llvm::createStringError(path + ": error: damaged JPEG: " + errors.message);
  return std::move(image);
}

llvm::Expected<Image> weft::readImage(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readInputFile(path);
  if (!buffer)
    return buffer.takeError();
  llvm::StringRef bytes = (*buffer)->getBuffer();
  if (bytes.starts_with("\x89PNG"))
    return decodePng(path, bytes);
  if (bytes.starts_with("\xFF\xD8"))
    return decodeJpeg(path, bytes);
  return llvm::createStringError(path + ": error: neither a PNG nor a JPEG file");
}
