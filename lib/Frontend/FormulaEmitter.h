//===- FormulaEmitter.h - A formula becomes ops ----------------*- C++ -*-===//
//
// Every reduction becomes an op of its own over the indices it depends on; what remains is one
// weft.map, or nothing if the formula is a reduction. Before, every read is planned: through an
// affine map where the element exists for all values of the indices, otherwise by weft.at, with a
// run-time check where data decides whether the element exists.
//
//===----------------------------------------------------------------------===//
#ifndef WEFT_LIB_FRONTEND_FORMULAEMITTER_H
#define WEFT_LIB_FRONTEND_FORMULAEMITTER_H

#include "Bounds.h"
#include "Elaborator.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "llvm/ADT/DenseSet.h"

namespace weft::sema {

enum class ReadKind { Map, AtInBounds, At };

/// An index coordinate that must be checked at run time.
struct PendingCheck {
  const Scalar *read = nullptr;
  unsigned dim = 0;
  llvm::SmallVector<Condition, 2> conditions;
};

/// Decides for every read of a formula how the element is fetched.
class ReadPlanner {
public:
  ReadPlanner(Elaborator &elaborator, BoundsAnalysis &bounds)
      : elaborator(elaborator), bounds(bounds) {}

  /// False after an error.
  bool plan(const Scalar *root);
  ReadKind kind(const Scalar *read) const { return kinds.lookup(read); }
  /// Plans a read like another one with the same coordinates and dimensions.
  void planLike(const Scalar *read, const Scalar *other) { kinds[read] = kind(other); }
  std::vector<PendingCheck> checks;

private:
  using Conditions = llvm::SmallVector<Condition, 2>;
  bool visit(const Scalar *scalar, unsigned context);
  bool visitArgs(const Scalar *scalar, unsigned context);
  bool planRead(const Scalar *read, unsigned context);
  bool planCoordinate(const Scalar *read, unsigned dim, unsigned context, ReadKind &kind);
  bool reportOutOfRange(const Scalar *read, unsigned dim, const Linear &form);
  unsigned extend(unsigned context, const Scalar *condition, bool negated);

  Elaborator &elaborator;
  BoundsAnalysis &bounds;
  llvm::DenseMap<const Scalar *, ReadKind> kinds;
  std::vector<Conditions> contexts{Conditions()}; ///< lists of conditions; 0 is the empty one
  std::map<std::tuple<unsigned, const Scalar *, bool>, unsigned> extended;
  llvm::DenseSet<std::pair<const Scalar *, unsigned>> visited;
};

/// The expression as an affine expression of op indices (of indices that are not listed, by their
/// order in the formula); null if it is none.
mlir::AffineExpr toAffine(const Scalar *scalar, llvm::ArrayRef<const Index *> indices,
                          mlir::MLIRContext *context);

class FormulaEmitter {
public:
  FormulaEmitter(Elaborator &elaborator, Function &function, Formula &formula,
                 llvm::StringRef label, bool constant)
      : elaborator(elaborator), function(function), formula(formula), label(label),
        constant(constant), planner(elaborator, bounds) {}

  Tensor emit(const Scalar *root, SourceRange range);

private:
  friend class RegionEmitter;
  using IndexList = llvm::SmallVector<const Index *, 6>;
  /// What a reduction became: its value over these indices.
  struct Emitted {
    mlir::Value value;
    IndexList indices;
  };
  /// An op under construction: its indices and what it reads through maps.
  struct Body {
    IndexList indices;
    llvm::SmallVector<mlir::Value> inputs;
    llvm::SmallVector<mlir::AffineMap> maps;
    llvm::DenseMap<const Scalar *, unsigned> inputOf;
    llvm::DenseSet<const Scalar *> seen;
  };

  const std::set<const Index *> &freeIndices(const Scalar *scalar);
  IndexList ordered(const std::set<const Index *> &indices) const;
  Emitted emitReduction(const Scalar *node, bool isRoot);
  mlir::Value emitSoftmax(const Scalar *node, Body &body, mlir::Type type, mlir::Location loc);
  mlir::Value emitReduce(const Scalar *node, Body &body, mlir::Type type, mlir::Location loc);
  mlir::Value emitMap(const Scalar *root, SourceRange range);
  void emitCheck(const PendingCheck &check);
  void emitCheck(const PendingCheck &check, const Scalar *coordinate, const std::string &what);
  void collect(const Scalar *scalar, Body &body);
  void addInput(const Scalar *scalar, mlir::Value value, mlir::AffineMap map, Body &body);
  mlir::ArrayAttr indexAttrs(llvm::ArrayRef<const Index *> indices);
  mlir::Type elementType(ast::ElementKind kind);
  bool checkConstant(const Scalar *root);
  void finish(mlir::Operation *op, const llvm::Twine &name);

  Elaborator &elaborator;
  Function &function;
  Formula &formula;
  std::string label;
  bool constant;
  BoundsAnalysis bounds;
  ReadPlanner planner;
  llvm::DenseMap<const Scalar *, std::set<const Index *>> free;
  std::map<const Scalar *, Emitted> reductions;
};

/// Emits scalar nodes into one region.
class RegionEmitter {
public:
  RegionEmitter(FormulaEmitter &emitter, const FormulaEmitter::Body &body, mlir::Region &region);
  /// A f32, an index or an i1.
  mlir::Value value(const Scalar *scalar);
  /// The same as an element of a tensor: an integer is an i32.
  mlir::Value element(const Scalar *scalar);
  mlir::OpBuilder builder;

private:
  mlir::Value emit(const Scalar *scalar, mlir::Location loc);
  mlir::Value emitRead(const Scalar *scalar, mlir::Location loc);
  mlir::Value emitReal(const Scalar *scalar, mlir::Location loc);
  mlir::Value emitInt(const Scalar *scalar, mlir::Location loc);
  mlir::Value emitDivision(const Scalar *scalar, mlir::Location loc);
  mlir::Value emitBool(const Scalar *scalar, mlir::Location loc);
  mlir::Value emitComparison(const Scalar *scalar, mlir::Location loc);
  mlir::Value emitToReal(const Scalar *scalar, mlir::Location loc);

  FormulaEmitter &emitter;
  const FormulaEmitter::Body &body;
  mlir::Block *block;
  llvm::DenseMap<const Scalar *, mlir::Value> values;
};

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_FORMULAEMITTER_H
