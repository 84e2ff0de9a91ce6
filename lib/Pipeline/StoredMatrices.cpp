//===- StoredMatrices.cpp - matrices that a checkpoint stores by rules ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "StoredMatrices.h"

#include "RuleCodes.h"

#include "weft/Dialect/Weft/Transforms/DerivedWeights.h"
#include "weft/Frontend/Parser.h"
#include "weft/Library/Library.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace llvm;
using namespace weft;

/// A rule whose condition holds, and the text that it is of.
struct StoredMatrices::Rule {
  const ast::File *file;
  const ast::StorageDecl *declaration;

  StringRef name() const { return declaration->name.text; }
};

/// A rule for a matrix, and the tensors that it is made of.
struct StoredMatrices::Match {
  StorageFunction function;
  int64_t rows, columns;
  std::vector<const StoredTensor *> parts;

  mlir::func::FuncOp entry() { return *function.module->getOps<mlir::func::FuncOp>().begin(); }
};

/// A rule for matrices of one size as code: their numbers, and their codes if they have some.
struct StoredMatrices::Compiled {
  explicit Compiled(StorageFunction function)
      : function{function.module->clone(), function.parts}, values(std::move(function)) {}

  /// Null: they have none.
  RuleCodes *getCodes() {
    if (function.module)
      codes = RuleCodes::create(function);
    function.module = nullptr;
    return codes.get();
  }

  StorageFunction function; ///< until codes were looked for
  MatrixRule values;
  std::unique_ptr<RuleCodes> codes;
};

namespace {
/// A matrix of a rule.
class RuleValues : public TensorValues {
public:
  RuleValues(std::shared_ptr<StoredMatrices::Compiled> rule,
             std::vector<const StoredTensor *> parts)
      : rule(std::move(rule)), parts(std::move(parts)) {}

  void read(int64_t first, MutableArrayRef<float> out) override {
    fill(out, [&] { return rule->values.read(parts, first, out); });
  }
  std::optional<StoredCodes> findCodes() override {
    if (RuleCodes *codes = rule->getCodes())
      return codes->get();
    return std::nullopt;
  }
  void readCodes(CodesPart part, int64_t first, MutableArrayRef<float> out) override {
    fill(out, [&] { return rule->getCodes()->read(part, parts, first, out); });
  }
  Expected<std::vector<double>> interpret() override { return rule->values.interpret(parts); }
  StringRef failure() const override { return problem; }
  uint64_t storedBytes() const override {
    uint64_t bytes = 0;
    for (const StoredTensor *part : parts)
      bytes += part ? part->bytes.size() : 0;
    return bytes;
  }

private:
  void fill(MutableArrayRef<float> out, function_ref<Error()> read) {
    if (problem.empty())
      if (Error error = read())
        problem = toString(std::move(error));
    if (!problem.empty())
      std::fill(out.begin(), out.end(), 0.0f);
  }

  std::shared_ptr<StoredMatrices::Compiled> rule;
  std::vector<const StoredTensor *> parts;
  std::string problem;
};
} // namespace

StoredMatrices::StoredMatrices(mlir::MLIRContext &context, SourceManager &sources,
                               const ast::File *own, const ConfigValue *config,
                               Checkpoint &checkpoint)
    : context(context), sources(sources), own(own), config(config), checkpoint(checkpoint),
      numbers(checkpoint) {}
StoredMatrices::~StoredMatrices() = default;

//===----------------------------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------------------------===//

static Error takeDiagnostics(const DiagnosticEngine &found) {
  std::string text;
  raw_string_ostream os(text);
  found.print(os);
  return createStringError(StringRef(text).rtrim());
}

Error StoredMatrices::readRules(const ast::File &file, const ConfigValue &quantisation,
                                std::vector<Rule> &rules) {
  DiagnosticEngine found(sources);
  auto list = findStorageRules(context, sources, file, quantisation, found);
  if (!list)
    return takeDiagnostics(found);
  for (const ast::StorageDecl *rule : *list)
    rules.push_back({&file, rule});
  return Error::success();
}

/// Those whose conditions hold.
Expected<ArrayRef<StoredMatrices::Rule>>
StoredMatrices::findRules(const ConfigValue &quantisation) {
  auto [known, isNew] = rulesOf.try_emplace(quantisation.str());
  std::vector<Rule> &rules = known->second;
  if (!isNew)
    return ArrayRef(rules);
  if (!library) {
    DiagnosticEngine found(sources);
    FileId id = sources.addText("<library>/storage.weft", *findLibraryFile("storage.weft"));
    library = parseText(sources, id, found);
    if (!library || found.hasErrors())
      return takeDiagnostics(found);
  }
  for (const ast::File *file : {own, static_cast<const ast::File *>(library.get())})
    if (file)
      if (Error error = readRules(*file, quantisation, rules))
        return std::move(error);
  return ArrayRef(rules);
}

//===----------------------------------------------------------------------------------------===//
// A rule and a matrix
//===----------------------------------------------------------------------------------------===//

/// What stands behind the scope.
static StringRef lastName(StringRef name) {
  StringRef last = name.rsplit('.').second;
  return last.empty() ? name : last;
}

static constexpr StringLiteral kAbsent = "there is no tensor ";

std::optional<StoredMatrices::Match> StoredMatrices::instantiate(const Rule &rule,
                                                                 const ConfigValue &quantisation,
                                                                 StringRef name, int64_t rows,
                                                                 int64_t columns) {
  DiagnosticEngine found(sources);
  StorageRequest request{rows, columns, lastName(name).str(), &quantisation};
  auto function = emitStorage(context, sources, *rule.file, *rule.declaration, request, found);
  if (!function) {
    misfit = found.diagnostics().empty() ? "" : found.diagnostics().front().message;
    return std::nullopt;
  }
  return Match{std::move(*function), rows, columns, {}};
}

static SmallVector<int64_t> withoutOnes(ArrayRef<int64_t> shape) {
  return SmallVector<int64_t>(make_filter_range(shape, [](int64_t size) { return size != 1; }));
}

/// Whether a tensor of a file is what a rule's parameter of this type is for.
static bool isFor(const StoredTensor &tensor, mlir::RankedTensorType type, bool exactly) {
  ElementType element = *getElementType(type.getElementType());
  const ElementTypeInfo &stored = infoOf(tensor.type), &wanted = infoOf(element);
  bool hasType = wanted.isReal()    ? stored.isReal() && stored.isStored()
                 : wanted.bits == 8 ? stored.bits == 8
                                    : stored.type == element;
  if (!hasType || tensor.values)
    return false;
  return exactly ? withoutOnes(tensor.shape) == withoutOnes(type.getShape())
                 : isRowMajorView(tensor.shape, type.getShape());
}

/// The tensors that the rule wants; false if one is missing or not what it wants.
bool StoredMatrices::findParts(Match &match, StringRef name, bool exactly) {
  auto [scope, last] = name.rsplit('.');
  StringRef prefix = last.empty() ? "" : name.take_front(scope.size() + 1);
  match.parts.clear();
  misfit.clear();
  for (auto [part, argument] : zip_equal(match.function.parts, match.entry().getArguments())) {
    const StoredTensor *tensor = checkpoint.find((prefix + part).str());
    if (!tensor)
      tensor = numbers.find((prefix + part).str());
    match.parts.push_back(tensor);
    if (argument.use_empty())
      continue; // it may be there, and may be anything
    if (!tensor) {
      misfit = kAbsent.str() + "'" + (prefix + part).str() + "'";
      return false;
    }
    auto wanted = cast<mlir::RankedTensorType>(argument.getType());
    if (isFor(*tensor, wanted, exactly))
      continue;
    misfit = "tensor '" + tensor->name + "' is " + infoOf(tensor->type).fileName.str() +
             shapeString(tensor->shape) + ", and the rule wants " +
             infoOf(*getElementType(wanted.getElementType())).name.str() +
             shapeString(wanted.getShape());
    return false;
  }
  return true;
}

/// The matrix becomes a tensor of the checkpoint.
void StoredMatrices::addMatch(Match match, const Rule &rule, StringRef name,
                              ArrayRef<int64_t> shape) {
  mlir::func::FuncOp entry = match.entry();
  std::string key = (Twine(uintptr_t(rule.declaration)) + " " + Twine(match.rows) + " " +
                     Twine(match.columns) + " " + lastName(name))
                        .str();
  SmallVector<mlir::Type> types;
  for (auto [argument, part] : zip_equal(entry.getArguments(), match.parts)) {
    auto type = cast<mlir::RankedTensorType>(argument.getType());
    // Reals are read as they are stored.
    if (part && infoOf(part->type).isReal())
      type = mlir::RankedTensorType::get(type.getShape(), getStorageType(&context, part->type));
    argument.setType(type);
    types.push_back(type);
    key += part ? " " + infoOf(part->type).name.str() : " -";
  }
  entry.setType(mlir::FunctionType::get(&context, types, entry.getResultTypes()));
  std::shared_ptr<Compiled> &compiled = compiledRules[key];
  if (!compiled)
    compiled = std::make_shared<Compiled>(std::move(match.function));
  StoredTensor tensor;
  tensor.name = name.str();
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.format = rule.name().str();
  tensor.values = std::make_shared<RuleValues>(compiled, match.parts);
  checkpoint.addComputed(std::move(tensor), match.parts);
}

/// Tries the ways to see a tensor of the model as a matrix: where the tensors of the file have the
/// very shapes that the rule says, or else the same numbers in the same order. Of a list of codes
/// all ways are right; with the first dimension as rows it is computed in blocks.
bool StoredMatrices::tryRule(const Rule &rule, const ConfigValue &quantisation, StringRef name,
                             ArrayRef<int64_t> shape) {
  StringRef last = lastName(name);
  misfit.clear();
  if (!rule.declaration->anyName && last != rule.declaration->given.text)
    return false;
  int64_t all = *elementCount(shape);
  std::string usual; // why it does not fit with the first dimension as rows
  auto order = to_vector(seq<size_t>(1, std::max<size_t>(shape.size(), 1)));
  order.push_back(0); // all in one row last
  for (bool exactly : {true, false}) {
    for (size_t rowDims : order) {
      int64_t rows = *elementCount(shape.take_front(rowDims));
      std::optional<Match> match = instantiate(rule, quantisation, name, rows, all / rows);
      if (!match || !findParts(*match, name, exactly)) {
        if (exactly && usual.empty())
          usual = misfit;
        continue;
      }
      addMatch(std::move(*match), rule, name, shape);
      return true;
    }
  }
  misfit = usual;
  return false;
}

//===----------------------------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------------------------===//

/// Blocks of a GGUF file, by the rule of their type.
Error StoredMatrices::addBlocks(const StoredTensor &blocks, StringRef name,
                                ArrayRef<int64_t> shape) {
  ConfigValue type = ConfigValue::makeObject();
  type.set("quant_method", ConfigValue::makeString("gguf"));
  type.set("format", ConfigValue::makeString(blocks.format));
  auto &kept = formats[blocks.format];
  if (!kept)
    kept = std::make_unique<ConfigValue>(std::move(type));
  auto rules = findRules(*kept);
  if (!rules)
    return rules.takeError();
  auto fail = [&](const Twine &why) {
    return createStringError(checkpoint.path() + ": error: tensor '" + blocks.name +
                             "' is stored as " + blocks.format + ", " + why);
  };
  if (rules->empty())
    return fail("for which there is no storage rule");
  for (const Rule &rule : *rules)
    if (tryRule(rule, *kept, name, shape))
      return Error::success();
  return fail("and the storage rule '" + rules->front().name() + "' does not fit '" + name + "' " +
              shapeString(shape) + ": " + misfit);
}

Error StoredMatrices::addTensor(StringRef name, ArrayRef<int64_t> shape) {
  const StoredTensor *plain = checkpoint.find(name);
  if (plain && plain->values)
    return Error::success(); // another entry asked for it
  if (plain && !plain->format.empty())
    return addBlocks(*plain, name, shape);
  if (!config || (plain && infoOf(plain->type).isReal()))
    return Error::success();
  auto rules = findRules(*config);
  if (!rules)
    return rules.takeError();
  std::string why;
  for (const Rule &rule : *rules) {
    if (tryRule(rule, *config, name, shape))
      return Error::success();
    // A rule whose tensors the file lacks is not meant, and the weight is missing: unless it is
    // there, and holds codes.
    if (why.empty() && !misfit.empty() && (plain || !StringRef(misfit).starts_with(kAbsent)))
      why = "the storage rule '" + rule.name().str() + "' does not fit '" + name.str() + "' " +
            shapeString(shape) + ": " + misfit;
  }
  return why.empty() ? Error::success() : createStringError(checkpoint.path() + ": error: " + why);
}

Error StoredMatrices::addWeight(WeightOp op, StringRef name) {
  auto type = cast<mlir::ShapedType>(op.getResult().getType());
  // A part of a coded weight is made of the whole of it.
  return addWeight(name, op.getCoded() ? op.getCoded()->getShape() : type.getShape());
}

Error StoredMatrices::addWeight(StringRef name, ArrayRef<int64_t> shape) {
  unsigned stacked = stackedDims(name);
  if (std::string stack = stackName(name); stacked && checkpoint.find(stack))
    return addTensor(stack, shape);
  for (const std::string &part : tensorNames(name))
    if (Error error = addTensor(part, shape.drop_front(std::min<size_t>(stacked, shape.size()))))
      return error;
  return Error::success();
}

/// The words by which a configuration says how weights are quantised.
static std::string describeMethod(const ConfigValue &config) {
  std::string text;
  for (StringRef key : {"quant_method", "format"})
    if (const ConfigValue *value = config.get(key); value && value->isString())
      text += (text.empty() ? "'" : ", ") + (key == "format" ? "format '" : std::string()) +
              value->asString().str() + "'";
  return text.empty() ? "an unnamed method" : text;
}

Error StoredMatrices::checkMethod() {
  auto rules = findRules(*config);
  if (!rules)
    return rules.takeError();
  if (!rules->empty())
    return Error::success();
  return createStringError(checkpoint.path() + ": error: the weights are quantised by " +
                           describeMethod(*config) + ", for which there is no storage rule");
}

static bool isReal(mlir::Type type) {
  return infoOf(*getElementType(cast<mlir::ShapedType>(type).getElementType())).isReal();
}

Error StoredMatrices::add(mlir::ModuleOp module, mlir::ModuleOp derived) {
  Error error = config ? checkMethod() : Error::success();
  module.walk([&](WeightOp op) {
    if (error || op.getName().starts_with(kDerivedPrefix) ||
        (!op.getCoded() && !isReal(op.getResult().getType())))
      return;
    error = addWeight(op, op.getName());
    if (auto tied = op.getTied())
      for (StringRef name : tied->getAsValueRange<mlir::StringAttr>())
        if (!error)
          error = addWeight(op, name);
  });
  if (derived)
    for (const DerivedWeight &weight : listDerivedWeights(derived))
      for (auto [name, type] :
           zip_equal(weight.from, mlir::func::FuncOp(weight.function).getArgumentTypes()))
        if (!error && isReal(type))
          error = addWeight(name, cast<mlir::ShapedType>(type).getShape());
  return error;
}
