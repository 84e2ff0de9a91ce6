//===- RuleCodes.cpp - the codes of a matrix that a storage rule gives ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RuleCodes.h"

#include "StagePipelines.h"
#include "weft/Codegen/CPU/Processor.h"
#include "weft/Dialect/Weft/IR/ElementTypes.h"
#include "weft/Dialect/Weft/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace weft;

/// Codes of 4 bits.
static constexpr size_t kShortCodes = 16;

/// The rule at stage `fused`, taken apart; null if it cannot be.
static OwningOpRef<ModuleOp> factor(ModuleOp rule) {
  CompileOptions options; // for this machine
  auto target = createCPUBackend(options.triple, options.march, options.plainUnits);
  if (!target) {
    llvm::consumeError(target.takeError());
    return {};
  }
  OwningOpRef<ModuleOp> module = rule.clone();
  auto addFactoring = [](PassManager &pm) { pm.addPass(createFactorMatrixPass()); };
  if (failed(runStage(*module, Stage::Fused, options, **target, addFactoring)) ||
      !module->lookupSymbol<func::FuncOp>("codes"))
    return {};
  return module;
}

static std::vector<float> readTable(ModuleOp module) {
  auto table = module.lookupSymbol<func::FuncOp>("table");
  DenseElementsAttr values;
  matchPattern(table.getBody().front().getTerminator()->getOperand(0), m_Constant(&values));
  auto range = values.getValues<float>();
  return {range.begin(), range.end()};
}

/// A function of the module alone, whose result is computed in f32.
static std::unique_ptr<MatrixRule> takePart(ModuleOp module, StringRef name,
                                            const StorageFunction &rule) {
  OwningOpRef<ModuleOp> own = module.clone();
  for (auto function : llvm::make_early_inc_range(own->getOps<func::FuncOp>()))
    if (function.getName() != name)
      function.erase();
  auto function = own->lookupSymbol<func::FuncOp>(name);
  attrs::Entry::set(function);
  auto type = cast<RankedTensorType>(function.getResultTypes().front());
  Value matrix = function.getBody().front().getTerminator()->getOperand(0);
  Type f32 = Float32Type::get(module.getContext());
  if (type.getElementType().isInteger(8)) {
    Operation *yield = matrix.getDefiningOp<MapOp>().getBody().front().getTerminator();
    OpBuilder b(yield);
    yield->setOperand(0, arith::SIToFPOp::create(b, yield->getLoc(), f32, yield->getOperand(0)));
  }
  type = type.clone(f32);
  matrix.setType(type);
  function.setType(FunctionType::get(module.getContext(), function.getArgumentTypes(), {type}));
  attrs::Stage::set(*own, "graph");
  return std::make_unique<MatrixRule>(StorageFunction{std::move(own), rule.parts});
}

static bool isWhole(float value) { return value == std::nearbyint(value); }

/// Which codes of a panel stand for the numbers, and by which table.
bool RuleCodes::chooseTable(ArrayRef<float> values, const SharedTypes &shared) {
  std::string name;
  byteOf.resize(values.size());
  for (auto [number, byte] : llvm::enumerate(byteOf))
    byte = float(number);
  auto isE4M3 = [&](size_t code) {
    return (code & 127) == 127 || decodeCode(CodeTable::Fp8, uint8_t(code)) == values[code];
  };
  if (values.size() <= kShortCodes &&
      llvm::all_of(values, [](float v) { return std::isfinite(v); })) {
    name = nameCodeTable(values, shared);
  } else if (llvm::all_of(values, isWhole)) {
    auto [least, most] = std::minmax_element(values.begin(), values.end());
    // Codes of 0 to 255 are those of -128 to 127 with another zero.
    bool isSigned = *least >= -128 && *most <= 127;
    if (!isSigned && (shared.shift != CodeShift::Zero || *most - *least > 255))
      return false;
    added = isSigned ? 0 : *least + 128;
    for (auto [byte, value] : llvm::zip_equal(byteOf, values))
      byte = float(uint8_t(int8_t(value - added)));
    name = nameCodeTable(CodeTable::Int8, shared);
  } else if (values.size() == 256 && llvm::all_of(llvm::seq<size_t>(256), isE4M3)) {
    name = nameCodeTable(CodeTable::Fp8, shared);
  }
  std::optional<CodeTable> table = name.empty() ? std::nullopt : findCodeTable(name);
  codes.table = table.value_or(CodeTable::None);
  return table.has_value();
}

/// The function of a part; null if there is none.
static func::FuncOp getPart(ModuleOp module, CodesPart part) {
  auto find = [&](StringRef name) { return module.lookupSymbol<func::FuncOp>(name); };
  switch (part) {
  case CodesPart::Codes:
    return find("codes");
  case CodesPart::Scales:
    return find("scales");
  case CodesPart::Shifts:
    return find("zeros") ? find("zeros") : find("offsets");
  case CodesPart::OuterScales:
    return find("outer_scales");
  case CodesPart::OuterShifts:
    return find("outer_offsets");
  }
  llvm_unreachable("no such part");
}

static RankedTensorType getResult(func::FuncOp part) {
  return cast<RankedTensorType>(part.getResultTypes().front());
}

static SharedTypes findShared(ModuleOp module) {
  auto typeOf = [](func::FuncOp part) { return *getElementType(getResult(part).getElementType()); };
  SharedTypes shared;
  func::FuncOp scales = getPart(module, CodesPart::Scales);
  shared.scale = typeOf(scales);
  if (func::FuncOp shifts = getPart(module, CodesPart::Shifts)) {
    shared.shift = shifts.getName() == "zeros" ? CodeShift::Zero : CodeShift::Offset;
    shared.shiftType = typeOf(shifts);
  }
  if (func::FuncOp outer = getPart(module, CodesPart::OuterScales)) {
    shared.outer = typeOf(outer);
    shared.span = getResult(scales).getDimSize(1) / getResult(outer).getDimSize(1);
  }
  return shared;
}

std::unique_ptr<RuleCodes> RuleCodes::create(const StorageFunction &function) {
  OwningOpRef<ModuleOp> module = factor(*function.module);
  if (!module)
    return nullptr;
  auto result = std::make_unique<RuleCodes>();
  if (!result->chooseTable(readTable(*module), findShared(*module)))
    return nullptr;
  result->codes.group = getResult(getPart(*module, CodesPart::Codes)).getDimSize(1) /
                        getResult(getPart(*module, CodesPart::Scales)).getDimSize(1);
  for (auto [number, rule] : llvm::enumerate(result->rules))
    if (func::FuncOp part = getPart(*module, CodesPart(number)))
      rule = takePart(*module, part.getName(), function);
  return result;
}

llvm::Error RuleCodes::read(CodesPart part, ArrayRef<const StoredTensor *> parts, int64_t first,
                            MutableArrayRef<float> out) {
  if (llvm::Error error = rules[unsigned(part)]->read(parts, first, out))
    return error;
  if (part == CodesPart::Codes)
    for (float &code : out)
      code = byteOf[size_t(code)];
  if (part == CodesPart::Shifts && added != 0)
    for (float &shift : out)
      shift += added;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------------------------===//

/// What a weight becomes; null if the checkpoint has it otherwise than as codes. Along what rows
/// run is known when products are: here it is along as many of the last dimensions as make whole
/// groups.
static CodedAttr findCoded(WeightOp op, const Checkpoint &checkpoint) {
  StoredWeight stored = checkpoint.findWeight(op.getName());
  std::optional<StoredCodes> codes = stored ? stored.findCodes() : std::nullopt;
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (!codes || !type.getElementType().isF32())
    return {};
  CodeFormat format(codes->table, codes->group);
  bool hasSpan = infoOf(format.table).span != 0;
  SmallVector<int64_t> along;
  int64_t row = 1;
  for (int64_t dim = type.getRank(); dim-- != 0;) {
    along.insert(along.begin(), dim);
    row *= type.getDimSize(dim);
    // Rows may be shorter than a group that is all of the matrix.
    format.group = hasSpan ? codes->group : std::gcd(codes->group, row);
    bool isWhole = ScaledPanel{1, row, format.group, format.table}.isWhole() &&
                   format.group * format.bits % 8 == 0;
    if (isWhole && (format.group == codes->group || dim == 0))
      return CodedAttr::get(op.getContext(), CodePart::Reals, along, type.getShape(), format);
  }
  return {};
}

void weft::takeStoredCodes(ModuleOp module, const Checkpoint &checkpoint) {
  module.walk([&](WeightOp op) {
    if (CodedAttr coded = findCoded(op, checkpoint))
      op.setCodedAttr(coded);
  });
}
