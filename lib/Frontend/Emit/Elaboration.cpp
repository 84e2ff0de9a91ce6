//===- Elaboration.cpp - What the parts of the elaboration share ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Elaboration.h"

#include "Calls.h"
#include "Definitions.h"
#include "Dimensions.h"
#include "ElementReader.h"
#include "Evaluator.h"
#include "FunctionTable.h"
#include "IndexRanges.h"
#include "Inputs.h"
#include "ModuleMapping.h"
#include "Names.h"
#include "Outputs.h"
#include "Parameters.h"
#include "Statements.h"

namespace weft::sema {

Elaboration::Elaboration(mlir::MLIRContext &context, const FrontendOptions &options,
                         DiagnosticEngine &diagnostics, Reporter &reporter)
    : context(context), options(options), reporter(reporter), limits(reporter, diagnostics),
      evaluator(std::make_unique<Evaluator>(*this)),
      elements(std::make_unique<ElementReader>(*this)), names(std::make_unique<Names>(*this)),
      ranges(std::make_unique<IndexRanges>(*this)), calls(std::make_unique<Calls>(*this)),
      mapping(std::make_unique<ModuleMapping>(*this)),
      statements(std::make_unique<Statements>(*this)),
      dimensions(std::make_unique<Dimensions>(*this)),
      parameters(std::make_unique<Parameters>(*this)), inputs(std::make_unique<Inputs>(*this)),
      definitions(std::make_unique<Definitions>(*this)), outputs(std::make_unique<Outputs>(*this)),
      functions(std::make_unique<FunctionTable>(*this)) {}

Elaboration::~Elaboration() = default;

} // namespace weft::sema
