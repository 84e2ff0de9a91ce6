//===- ImageSteps.cpp - how images are prepared ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Image/Image.h"
#include "weft/Support/ConfigValue.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace weft;

// What a file does not say itself, by the beginning of the name of the class that wrote the file:
// under number_as_size what one number as a size means, under bicubic and center_crop who resizes
// so and who crops, to crop_size, where nothing is said; under not_steps the keys that change
// nothing here: images are read as colours anyway, other keys are about labels of training, names
// of classes, or how the file was made.
static const char conventionsText[] =
#include "Conventions.inc"
    ;

static const ConfigValue &conventions() {
  static const ConfigValue table =
      llvm::cantFail(ConfigValue::parse(conventionsText, "Conventions.json"));
  return table;
}

namespace weft {

// Reads a preprocessor_config.json; the first problem stays.
class StepsReader {
public:
  StepsReader(const ConfigValue &config, llvm::StringRef name) : config(config), name(name) {}

  llvm::Expected<ImageSteps> read();

private:
  const ConfigValue *find(llvm::StringRef key) const {
    const ConfigValue *value = config.get(key);
    return value && !value->isNull() ? value : nullptr;
  }
  void fail(llvm::StringRef key, const llvm::Twine &message) {
    if (problem.empty())
      problem = (name + ": " + key + ": " + message).str();
  }
  bool flag(llvm::StringRef key, bool absent);
  int64_t edge(llvm::StringRef key, const ConfigValue &value);
  llvm::StringRef type() const;
  bool squareByNumber();
  std::optional<ImageSteps::Size> size(llvm::StringRef key);
  std::array<double, 3> channels(llvm::StringRef key);
  Filter filter();
  void checkKeys();

  const ConfigValue &config;
  llvm::StringRef name;
  std::string problem;
};

} // namespace weft

// A step that is not known here would be left out without a word.
void StepsReader::checkKeys() {
  static const llvm::StringRef known[] = {
      "do_resize",  "size",           "resample",     "do_center_crop", "crop_size",
      "do_rescale", "rescale_factor", "do_normalize", "image_mean",     "image_std"};
  llvm::ArrayRef<ConfigValue> others = conventions().get("not_steps")->elements();
  for (llvm::StringRef key : config.keys())
    if (!llvm::is_contained(known, key) &&
        !llvm::is_contained(others, ConfigValue::makeString(key))) {
      const ConfigValue *value = find(key);
      if (value && !(value->isBool() && !value->asBool()))
        fail(key, "is not supported");
    }
}

bool StepsReader::flag(llvm::StringRef key, bool absent) {
  const ConfigValue *value = find(key);
  if (value && !value->isBool())
    fail(key, "expected true or false, found " + value->kindName());
  return value && value->isBool() ? value->asBool() : absent;
}

int64_t StepsReader::edge(llvm::StringRef key, const ConfigValue &value) {
  if (value.isInt() && value.asInt() >= 1 && value.asInt() <= 1 << 14)
    return value.asInt();
  fail(key, "expected numbers of pixels");
  return 1;
}

static bool isOneOf(const ConfigValue &beginnings, llvm::StringRef type) {
  return llvm::any_of(beginnings.elements(), [&](const ConfigValue &beginning) {
    return type.starts_with(beginning.asString());
  });
}

// The class that wrote the file; empty if it does not say so.
llvm::StringRef StepsReader::type() const {
  for (const char *key : {"image_processor_type", "feature_extractor_type"})
    if (const ConfigValue *value = find(key); value && value->isString())
      return value->asString();
  return "";
}

// Older files have one number as a size. What that means was known to the class.
bool StepsReader::squareByNumber() {
  const ConfigValue &number = *conventions().get("number_as_size");
  bool square = isOneOf(*number.get("square"), type());
  if (!square && !isOneOf(*number.get("shortest_edge"), type()))
    fail("size", "one number, and the file does not say of what: expected height and width, or "
                 "shortest_edge");
  return square;
}

std::optional<ImageSteps::Size> StepsReader::size(llvm::StringRef key) {
  const ConfigValue *value = find(key);
  if (!value) {
    fail(key, "is missing");
    return std::nullopt;
  }
  if (value->isInt()) {
    int64_t length = edge(key, *value);
    if (key == "crop_size" || squareByNumber())
      return ImageSteps::Size{length, length, 0};
    return ImageSteps::Size{0, 0, length};
  }
  const ConfigValue *height = value->get("height"), *width = value->get("width");
  const ConfigValue *shortest = value->get("shortest_edge");
  if (height && width && value->keys().size() == 2)
    return ImageSteps::Size{edge(key, *height), edge(key, *width), 0};
  if (shortest && value->keys().size() == 1 && key == "size")
    return ImageSteps::Size{0, 0, edge(key, *shortest)};
  fail(key, "expected height and width" + llvm::Twine(key == "size" ? ", or shortest_edge" : "") +
                ", found " + value->str());
  return std::nullopt;
}

std::array<double, 3> StepsReader::channels(llvm::StringRef key) {
  std::array<double, 3> result = {1, 1, 1};
  const ConfigValue *value = find(key);
  if (!value || !value->isArray() || value->elements().size() != 3 ||
      !llvm::all_of(value->elements(), [](const ConfigValue &e) { return e.isNumber(); }))
    fail(key, "expected three numbers");
  else
    for (size_t i = 0; i < 3; ++i)
      result[i] = value->elements()[i].asReal();
  return result;
}

Filter StepsReader::filter() {
  const ConfigValue *value = find("resample");
  if (!value)
    return isOneOf(*conventions().get("bicubic"), type()) ? Filter::Bicubic : Filter::Bilinear;
  if (value->isInt() && value->asInt() >= 0 && value->asInt() <= 3)
    return Filter(value->asInt());
  fail("resample", value->str() + " is not supported: 0 (nearest), 1 (Lanczos), 2 (bilinear) and "
                                  "3 (bicubic) are");
  return Filter::Bilinear;
}

llvm::Expected<ImageSteps> StepsReader::read() {
  ImageSteps steps;
  checkKeys();
  if (flag("do_resize", true))
    steps.resizeTo = size("size");
  steps.filter = filter();
  bool crops = isOneOf(*conventions().get("center_crop"), type());
  if (flag("do_center_crop", crops)) {
    int64_t length = conventions().get("crop_size")->asInt();
    steps.cropTo =
        crops && !find("crop_size") ? ImageSteps::Size{length, length, 0} : size("crop_size");
  }
  if (flag("do_rescale", true)) {
    const ConfigValue *factor = find("rescale_factor");
    if (factor && !factor->isNumber())
      fail("rescale_factor", "expected a number");
    steps.scale = factor && factor->isNumber() ? factor->asReal() : 1.0 / 255;
  }
  if (flag("do_normalize", true)) {
    steps.mean = channels("image_mean");
    steps.deviation = channels("image_std");
    if (llvm::is_contained(steps.deviation, 0.0))
      fail("image_std", "a number is 0");
  }
  if (!problem.empty())
    return llvm::createStringError(problem);
  return steps;
}

llvm::Expected<ImageSteps> ImageSteps::parse(llvm::StringRef json, llvm::StringRef name) {
  llvm::Expected<ConfigValue> config = ConfigValue::parse(json, name);
  if (!config)
    return config.takeError();
  return StepsReader(*config, name).read();
}

llvm::Expected<ImageSteps> ImageSteps::load(llvm::StringRef folder) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, "preprocessor_config.json");
  if (!llvm::sys::fs::exists(path))
    return llvm::createStringError(folder + ": no preprocessor_config.json beside the model says "
                                            "how images are prepared");
  llvm::Expected<ConfigValue> config = ConfigValue::parseFile(path);
  if (!config)
    return config.takeError();
  return StepsReader(*config, path).read();
}

llvm::Expected<Planes> ImageSteps::apply(Image image) const {
  if (resizeTo) {
    int64_t height = resizeTo->height, width = resizeTo->width;
    if (int64_t edge = resizeTo->shortest) {
      int64_t shortest = std::min(image.height, image.width);
      height = std::max<int64_t>(1, edge * image.height / shortest);
      width = std::max<int64_t>(1, edge * image.width / shortest);
    }
    if (height > 1 << 14 || width > 1 << 14)
      return llvm::createStringError("the image would have " + llvm::Twine(height) + " rows and " +
                                     llvm::Twine(width) + " columns after it is resized");
    image = resize(image, height, width, filter);
  }
  if (cropTo)
    image = centerCrop(image, cropTo->height, cropTo->width);
  Planes planes{image.height, image.width, {}};
  for (size_t channel = 0; channel < 3; ++channel)
    for (int64_t y = 0; y < image.height; ++y)
      for (int64_t x = 0; x < image.width; ++x) {
        float value = float(double(image.at(y, x, int64_t(channel))) * scale);
        planes.values.push_back((value - float(mean[channel])) / float(deviation[channel]));
      }
  return std::move(planes);
}
