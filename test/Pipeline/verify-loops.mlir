// RUN: weft-opt %s --split-input-file --verify-diagnostics --weft-verify-loops

func.func private @written(%x: memref<4xf32>, %y: memref<4xf32>, %status: !llvm.ptr) attributes {weft.kernel} {
  %0 = weft.address %x : memref<4xf32> to !llvm.ptr
  %1 = llvm.load %0 : !llvm.ptr -> vector<4xf32>
  %2 = math.exp %1 : vector<4xf32>
  %3 = weft.address %y : memref<4xf32> to !llvm.ptr
  llvm.store %2, %3 : vector<4xf32>, !llvm.ptr
  return
}
func.func @launching(%y: memref<4xf32>) {
  %w = weft.weight "w" {offset = 64 : i64} : memref<4xf32>
  weft.launch @written ins(%w : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

func.func private @kernel(%x: memref<4xf32>) attributes {weft.kernel} {
  // expected-error @+2 {{'weft.map' has no lowering to LLVM}}
  // expected-note @+1 {{a kernel without 'weft.lowering' is not written as loops}}
  weft.map [i in 4] outs(%x : memref<4xf32>) {
    %0 = arith.constant 1.0 : f32
    // expected-error @+1 {{'weft.yield' has no lowering to LLVM}}
    weft.yield %0 : f32
  }
  return
}
