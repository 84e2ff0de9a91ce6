//===- WeftDiscardableAttrs.td - attributes on what is no formula ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Every attribute `weft.NAME` that modules, functions, their arguments and results, calls and
// formulas may carry: its type, on what it stands, and what it means with its unit. Of this list
// are made the accessors (DiscardableAttrs.h), the verifier's table (WeftDialect::discardableAttrs;
// DiscardableAttrs.cpp adds the rules for values) and the table in docs/generated/WeftDialect.md.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_WEFTDISCARDABLEATTRS_TD
#define WEFT_DIALECT_WEFT_IR_WEFTDISCARDABLEATTRS_TD

/// A type of attributes, how an error calls it, and what is true of an attribute of this type.
class Weft_Kind<string cppType, string kindText, string kindTest = ""> {
  string type = cppType;
  string text = kindText;
  string test = "::llvm::isa<" # cppType # ">(attr)" # kindTest;
}
def Weft_Flag : Weft_Kind<"::mlir::UnitAttr", "nothing (a unit attribute)">;
def Weft_Text : Weft_Kind<"::mlir::StringAttr", "a string">;
def Weft_Texts : Weft_Kind<"::mlir::ArrayAttr", "a list of strings",
  " && ::llvm::all_of(::llvm::cast<::mlir::ArrayAttr>(attr), ::llvm::IsaPred<::mlir::StringAttr>)">;
def Weft_TextLists : Weft_Kind<"::mlir::ArrayAttr", "a list of lists of strings",
  " && ::llvm::all_of(::llvm::cast<::mlir::ArrayAttr>(attr), [](::mlir::Attribute list) {"
  " auto names = ::llvm::dyn_cast<::mlir::ArrayAttr>(list);"
  " return names && ::llvm::all_of(names, ::llvm::IsaPred<::mlir::StringAttr>); })">;
def Weft_Number : Weft_Kind<"::mlir::IntegerAttr", "a 64-bit integer",
  " && ::llvm::cast<::mlir::IntegerAttr>(attr).getType().isInteger(64)">;
def Weft_Reals : Weft_Kind<"::mlir::DenseF64ArrayAttr", "array<f64: ...>">;
def Weft_Element : Weft_Kind<"::mlir::TypedAttr", "a number or a bool">;
def Weft_FunctionName : Weft_Kind<"::mlir::FlatSymbolRefAttr", "the name @F of a function">;
class Weft_Own<string cppName, string mnemonic> : Weft_Kind<"::weft::" # cppName # "Attr", "#weft." # mnemonic # "<...>">;

/// What an attribute may stand on: the bit, its C++ name and its name in texts.
class Weft_Place<int placeBit, string cppName, string placeText> {
  int value = placeBit;
  string name = cppName;
  string text = placeText;
}
def Weft_OnModule : Weft_Place<1, "OnModule", "modules">;
def Weft_OnFunction : Weft_Place<2, "OnFunction", "functions">;
def Weft_OnEntry : Weft_Place<4, "OnEntry", "entries">;
def Weft_OnArgument : Weft_Place<8, "OnArgument", "arguments">;
def Weft_OnResult : Weft_Place<16, "OnResult", "results">;
def Weft_OnCall : Weft_Place<32, "OnCall", "calls">;
def Weft_OnFormula : Weft_Place<64, "OnFormula", "formulas">;
def Weft_OnOp : Weft_Place<128, "OnOp", "ops of the dialect">;
def Weft_OnProduct : Weft_Place<256, "OnProduct", "products of two reals">;
defvar Weft_Places = [Weft_OnModule, Weft_OnFunction, Weft_OnEntry, Weft_OnArgument, Weft_OnResult, Weft_OnCall,
                      Weft_OnFormula, Weft_OnOp, Weft_OnProduct];

class Weft_Discardable<string attrName, Weft_Kind attrKind, list<Weft_Place> attrPlaces, string attrMeaning> {
  string name = attrName;
  Weft_Kind kind = attrKind;
  list<Weft_Place> places = attrPlaces;
  string meaning = attrMeaning;
}

defvar Weft_Discardables = [
  // Modules.
  Weft_Discardable<"model", Weft_Text, [Weft_OnModule], "the model's name: the prefix of the C functions">,
  Weft_Discardable<"stage", Weft_Text, [Weft_OnModule], "at which stage the module is">,
  Weft_Discardable<"symbols", Weft_Own<"Bounds", "bounds">, [Weft_OnModule],
    "all run-time dimensions, in the order in which compiled functions pass them, and their bounds">,
  Weft_Discardable<"batch", Weft_Text, [Weft_OnModule], "the symbol that counts the examples of a batch">,
  Weft_Discardable<"checkpoint", Weft_Own<"Checkpoint", "checkpoint">, [Weft_OnModule],
    "how the names of a checkpoint's tensors differ from the model's">,
  Weft_Discardable<"parameters", Weft_Number, [Weft_OnModule],
    "numbers of the weights that the model's text asks for, where some of the weights are computed from them">,
  Weft_Discardable<"weights_bytes", Weft_Number, [Weft_OnModule], "bytes of the weights file, its header included">,
  Weft_Discardable<"fingerprint", Weft_Number, [Weft_OnModule],
    "a hash of what lies where in the weights file; the file holds the same">,

  // Functions.
  Weft_Discardable<"entry", Weft_Flag, [Weft_OnFunction], "a function that the user calls: an entry">,
  Weft_Discardable<"kernel", Weft_Flag, [Weft_OnFunction], "one formula on buffers, outlined">,
  Weft_Discardable<"generate", Weft_Own<"Generate", "generate">, [Weft_OnEntry],
    "the output that predicts what follows, and the run-time dimension along which the sequence grows">,
  Weft_Discardable<"step", Weft_Own<"Step", "step">, [Weft_OnEntry],
    "computes new positions from cached ones: the entry that it continues, and its two run-time dimensions">,
  Weft_Discardable<"start", Weft_FunctionName, [Weft_OnEntry],
    "computes, when a sequence begins, the part of its state that does not grow: the step that reads it">,
  Weft_Discardable<"last", Weft_FunctionName, [Weft_OnEntry],
    "computes what a step computes, of the last new position only: the step, whose state it reads and extends">,
  Weft_Discardable<"flops", Weft_Reals, [Weft_OnFunction],
    "operations on reals of a call: the coefficients of x^0, x^1 and x^2, where x is a run-time dimension">,
  Weft_Discardable<"flop_count", Weft_Text, [Weft_OnEntry],
    "operations on reals of a call for any values of the module's symbols, in postfix form (weft/Support/WorkCount.h)">,
  Weft_Discardable<"work", Weft_Own<"Work", "work">, [Weft_OnFunction], "what a call of a kernel does, for profiles">,
  Weft_Discardable<"derives", Weft_TextLists, [Weft_OnFunction],
    "a function of weights: the weights that it computes, each followed by those that are its arguments">,
  Weft_Discardable<"scratch", Weft_Number, [Weft_OnFunction], "bytes of the arena">,
  Weft_Discardable<"state_bytes", Weft_Number, [Weft_OnEntry], "bytes of the state of a sequence">,

  // Arguments and results of functions.
  Weft_Discardable<"name", Weft_Text, [Weft_OnArgument, Weft_OnResult], "the name in the model's text">,
  Weft_Discardable<"location", Weft_Text, [Weft_OnArgument, Weft_OnResult],
    "an output that only a comparison asks for: the place of its formula in the text">,
  Weft_Discardable<"state", Weft_Flag, [Weft_OnArgument, Weft_OnResult], "a part of the state of a sequence">,
  Weft_Discardable<"state_offset", Weft_Number, [Weft_OnArgument], "bytes from the state's begin to this part">,
  Weft_Discardable<"window", Weft_Number, [Weft_OnArgument],
    "a cache of a step: rows further back from the last old one than this are not read">,
  Weft_Discardable<"default", Weft_Element, [Weft_OnArgument], "all elements of an optional input that is left out">,
  Weft_Discardable<"computed", Weft_Flag, [Weft_OnArgument],
    "an optional input: left out, the entry computes its elements">,
  Weft_Discardable<"given", Weft_Text, [Weft_OnArgument],
    "whether the caller passes the optional input of this name, the argument before">,
  Weft_Discardable<"default_offset", Weft_Number, [Weft_OnArgument],
    "an optional input: bytes from the arena's begin to the tensor of defaults">,
  Weft_Discardable<"index_bound", Weft_Number, [Weft_OnArgument], "an input of ids: all of them must be below">,
  Weft_Discardable<"output", Weft_Flag, [Weft_OnArgument], "a buffer that the function writes: a result">,
  Weft_Discardable<"bounds", Weft_Own<"Bounds", "bounds">, [Weft_OnArgument],
    "the symbols of the dynamic dimensions of a buffer, in order">,

  // Ops.
  Weft_Discardable<"arena", Weft_Number, [Weft_OnCall],
    "bytes from the begin of the caller's arena to that of the called layer">,
  Weft_Discardable<"label", Weft_Text, [Weft_OnOp], "the name in the text of what is computed here">,
  Weft_Discardable<"folded", Weft_Texts, [Weft_OnFormula], "labels of the formulas that are computed in this one">,
  Weft_Discardable<"constant", Weft_Flag, [Weft_OnFormula], "depends on no input: evaluated by the compiler">,
  Weft_Discardable<"parts", Weft_Number, [Weft_OnFormula],
    "a product: the numbers of bf16, 2 or 3, whose sum each factor is taken for (of a weight of f16 at most 2, of bf16 1); of their products the largest 3 or 6 are added">,
  Weft_Discardable<"lane", Weft_Number, [Weft_OnFormula],
    "a sum: which of its summed indices, counted from 0, vectors of what is added run along; -1: they run along results">,
  Weft_Discardable<"unfused_reason", Weft_Text, [Weft_OnFormula], "why its tensor of position pairs stays">,
  Weft_Discardable<"rounded", Weft_Flag, [Weft_OnProduct],
    "the value of a formula of the text: it is rounded before it is added to anything, wherever it is computed">,
  Weft_Discardable<"lowering", Weft_Own<"Lowering", "lowering">, [Weft_OnFormula], "how the kernel becomes loops">,
];

/// What the list is turned into: the C++ of WeftDialect, and a table for the reference.
defvar Weft_DiscardablesDecl = [{
  /// What a discardable attribute may stand on, as bits.
  enum Place : unsigned {
    }] # !interleave(!foreach(place, Weft_Places, place.name # " = " # place.value), ", ") # [{
  };
  /// A line of WeftDiscardableAttrs.td.
  struct DiscardableAttr {
    ::llvm::StringLiteral name, type;
    bool (*hasType)(::mlir::Attribute);
    unsigned places;
    ::llvm::StringLiteral placesText;
  };
  static constexpr DiscardableAttr discardableAttrs[] = {
    }] # !interleave(!foreach(attr, Weft_Discardables,
      "{\"weft." # attr.name # "\", \"" # attr.kind.text # "\", "
      # "[](::mlir::Attribute attr) { return " # attr.kind.test # "; }, "
      # !interleave(!foreach(place, attr.places, place.name), " | ") # ", \""
      # !interleave(!foreach(place, attr.places, place.text), " and ") # "\"}"), ",\n    ") # [{
  };
}];

defvar Weft_DiscardablesTable = "  | attribute | is | stands on | says |\n    |---|---|---|---|\n    "
  # !interleave(!foreach(attr, Weft_Discardables,
      "| `weft." # attr.name # "` | " # attr.kind.text # " | "
      # !interleave(!foreach(place, attr.places, place.text), ", ") # " | " # attr.meaning # " |"), "\n    ") # "\n";

#endif
