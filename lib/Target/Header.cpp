//===- Header.cpp - writes the C header of a compiled model ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The header is the model's manual: whoever reads it knows what to allocate, what to pass and
// what comes back. An argument's name is chosen once, for the comment and for the prototype.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Target/Header.h"

#include "weft/Runtime/weft_model_info.h"
#include "weft/Support/Format.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace weft;

namespace {

struct Argument {
  std::string type; // with the space or '*' before the name
  std::string name;
  std::string comment;
};

} // namespace

// "float [T, 768]", or "float" for a scalar.
static std::string shapeText(const ModelDescription &model, const TensorDescription &tensor) {
  std::string text = infoOf(tensor.type).cType.str();
  if (tensor.dims.empty())
    return text + ", one";
  text += " [";
  for (size_t i = 0; i < tensor.dims.size(); ++i) {
    text += i ? ", " : "";
    text += tensor.symbols[i] >= 0 ? model.symbols[tensor.symbols[i]].name
                                   : std::to_string(tensor.dims[i]);
  }
  return text + "]";
}

static std::string inputComment(const ModelDescription &model, const TensorDescription &tensor) {
  std::string text = "in: " + shapeText(model, tensor);
  if (tensor.indexBound > 0)
    text += ", each from 0 to " + std::to_string(tensor.indexBound - 1);
  else if (tensor.type == ElementType::Bool)
    text += ", each 0 or 1";
  if (tensor.computed)
    text += "; null: computed";
  else if (tensor.optional)
    text += fmt::format("; null: all {:g}", tensor.defaultValue);
  return text;
}

// A name no argument before has.
static std::string freshName(llvm::ArrayRef<Argument> arguments, std::string name) {
  while (llvm::any_of(arguments, [&](const Argument &other) { return other.name == name; }))
    name += '_';
  return name;
}

static std::vector<Argument> argumentsOf(const ModelDescription &model,
                                         const EntryDescription &entry,
                                         llvm::ArrayRef<int32_t> symbols) {
  std::vector<Argument> arguments;
  auto add = [&](std::string type, llvm::StringRef name, std::string comment) {
    arguments.push_back(
        {std::move(type), freshName(arguments, cIdentifier(name)), std::move(comment)});
  };
  std::string file = "start of the mapped weights file, " + model.name + "_weights_bytes bytes";
  add("const void *", "weights",
      model.weightsBytes == 0 ? "not used; may be null"
                              : file + (model.embedsWeights ? "; null: those in the object" : ""));
  add("void *", "scratch",
      entry.scratchBytes > 0
          ? entryFunctionName(model, entry) + "_scratch_bytes bytes, aligned to 64"
          : "not used; may be null");
  for (int32_t symbol : symbols)
    add("int64_t ", model.symbols[symbol].name,
        "from 1 to " + model.name + "_" + cIdentifier(model.symbols[symbol].name) + "_max");
  for (const TensorDescription &tensor : entry.inputs)
    add("const " + infoOf(tensor.type).cType.str() + " *", tensor.name,
        inputComment(model, tensor));
  for (const TensorDescription &tensor : entry.outputs)
    add(infoOf(tensor.type).cType.str() + " *", tensor.name, "out: " + shapeText(model, tensor));
  return arguments;
}

// The arithmetic at the bound, in words, where it is known.
static void writeWork(const ModelDescription &model, const EntryDescription &entry,
                      llvm::raw_ostream &os) {
  int32_t symbol = entry.flops.symbol;
  double flops = entry.flops.at(symbol >= 0 ? model.symbols[symbol].bound : 0);
  if (flops <= 0)
    return;
  print(os, " About {:.3g} GFLOP", flops * 1e-9);
  if (symbol >= 0)
    os << " at " << model.symbols[symbol].name << " = " << model.symbols[symbol].bound;
  os << ".";
}

static void writeArguments(llvm::ArrayRef<Argument> arguments, llvm::raw_ostream &os) {
  size_t width = 0;
  for (const Argument &argument : arguments)
    width = std::max(width, argument.name.size());

  for (const Argument &argument : arguments)
    print(os, "     {:<{}}  {}\n", argument.name, width, argument.comment);
  os << "   Returns 0, or an error code of weft_model_info.h and leaves the outputs undefined. "
        "*/\n";
}

static void writePrototype(llvm::StringRef name, llvm::ArrayRef<Argument> arguments,
                           llvm::raw_ostream &os) {
  std::string open = "int " + name.str() + "(";
  os << open;
  llvm::interleave(
      arguments, os, [&](const Argument &argument) { os << argument.type << argument.name; },
      ",\n" + std::string(open.size(), ' '));
  os << ");\n";
}

static void writeEntry(const ModelDescription &model, const EntryDescription &entry,
                       llvm::raw_ostream &os) {
  std::vector<Argument> arguments = argumentsOf(model, entry, symbolsOfEntry(model, entry));
  os << "/* Entry '" << entry.name << "'.";
  writeWork(model, entry, os);
  os << "\n";
  writeArguments(arguments, os);
  writePrototype(entryFunctionName(model, entry), arguments, os);
}

// The state, and what makes one of fresh memory.
static void writeStep(const ModelDescription &model, const StepDescription &step,
                      llvm::raw_ostream &os) {
  std::string name = entryFunctionName(model, step.entry);
  Argument state{"void *", "state", name + "_state_bytes bytes, aligned to 64, for one sequence"};
  auto withState = [&](const EntryDescription &entry, llvm::ArrayRef<int32_t> symbols) {
    std::vector<Argument> arguments = argumentsOf(model, entry, symbols);
    arguments.insert(arguments.begin() + 1, state);
    return arguments;
  };
  std::vector<Argument> begin = withState(step.start, symbolsOfEntry(model, step.start));
  std::vector<Argument> arguments = withState(step.entry, symbolsOfStep(model, step));
  if (!step.hasStart)
    begin[0].comment = "not used; may be null";
  os << "/* Begins a sequence: before the first call of " << name << ".\n";
  writeArguments(begin, os);
  writePrototype(entryFunctionName(model, step.start), begin, os);
  os << "\n/* Entry '" << model.entries[step.continues].name << "' for the next "
     << model.symbols[step.countSymbol].name << " positions of a sequence of at most "
     << model.symbols[step.lengthSymbol].bound
     << ":\n   the state holds what they need of those before. A copy of the state is another "
        "sequence"
        " with the same past;\n   its first 8 bytes, an int64_t, are the number of positions, "
        "which may be set lower to take some back.\n";
  writeArguments(arguments, os);
  writePrototype(name, arguments, os);
  if (!step.hasLast())
    return;
  std::vector<Argument> ofLast = withState(step.last, symbolsOfStep(model, step));
  os << "\n/* The same, but for the outputs, which are those of the last of the new positions "
        "alone.\n";
  writeArguments(ofLast, os);
  writePrototype(entryFunctionName(model, step.last), ofLast, os);
}

// Enumerators are ints; what does not fit one is a macro.
static void writeConstants(const ModelDescription &model, llvm::raw_ostream &os) {
  std::vector<std::pair<std::string, int64_t>> constants;
  constants.reserve(model.symbols.size());
  for (auto [i, symbol] : llvm::enumerate(model.symbols))
    if (!isOwnSymbol(model, i))
      constants.push_back({model.name + "_" + cIdentifier(symbol.name) + "_max", symbol.bound});
  constants.push_back({model.name + "_weights_bytes", model.weightsBytes});
  for (const EntryDescription &entry : model.entries)
    constants.push_back({entryFunctionName(model, entry) + "_scratch_bytes", entry.scratchBytes});
  for (const StepDescription &step : model.steps) {
    std::string name = entryFunctionName(model, step.entry);
    constants.push_back(
        {name + "_scratch_bytes", step.getScratchBytes()}); // of all three functions
    constants.push_back({name + "_state_bytes", step.stateBytes});
    for (const EntryDescription *other : {&step.last, &step.start})
      if (!other->name.empty())
        constants.push_back(
            {entryFunctionName(model, *other) + "_scratch_bytes", other->scratchBytes});
  }
  constants.push_back({model.name + "_peak_bytes", model.peakBytes});

  auto fits = [](int64_t value) { return value <= std::numeric_limits<int32_t>::max(); };
  os << "enum {\n";
  for (const auto &[name, value] : constants)
    if (fits(value))
      os << "  " << name << " = " << value << ",\n";
  // The version also keeps the list from being empty.
  os << "  " << model.name << "_abi_version = " << WEFT_ABI_VERSION << "\n};\n";
  for (const auto &[name, value] : constants)
    if (!fits(value))
      os << "#define " << name << " INT64_C(" << value << ")\n";
}

void weft::writeHeader(const ModelDescription &model, llvm::raw_ostream &os) {
  std::string guard = "WEFT_MODEL_" + llvm::StringRef(model.name).upper() + "_H";
  os << "/* Model '" << model.name << "', compiled by " << model.compiler << " for " << model.target
     << ". Do not edit.\n";
  if (model.parameterCount > 0)
    os << "   " << model.parameterCount << " parameters.";
  else
    os << "   No parameters.";
  os << (model.onDevice   ? " It runs on a GPU: it calls libweft_cuda.a (weft_cuda.h).\n"
         : model.threaded ? " Threaded: it calls weft_parallel_for of libweft_runtime.a.\n"
                          : " Single-threaded: it needs libc and libm only.\n");
  os << "   Tensors are dense and row-major; "
     << (model.onDevice
             ? "they lie on the host, or on the GPU, aligned to 16 bytes;\n   what calls need "
               "besides is kept on the GPU. */\n"
             : "the caller owns all memory; calls keep nothing elsewhere. */\n")
     << "#ifndef " << guard << "\n#define " << guard << "\n\n#include <stdint.h>\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
     << "/* Bounds of the dimensions, and sizes in bytes. */\n";
  writeConstants(model, os);
  os << "\n";
  for (const EntryDescription &entry : model.entries) {
    writeEntry(model, entry, os);
    os << "\n";
  }
  for (const StepDescription &step : model.steps) {
    writeStep(model, step, os);
    os << "\n";
  }
  os << "/* The model's description, for programs that do not know it: weft_model_info.h. */\n"
     << "struct weft_model_info;\nextern const struct weft_model_info " << model.name
     << "_info;\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
}
