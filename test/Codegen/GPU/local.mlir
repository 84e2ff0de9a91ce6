// What products make for each other lies on the stack of a processor's task; a device's threads have no such memory.
// RUN: weft-opt %s --weft-assign-gpu-lowering --weft-lower-gpu-kernels --verify-diagnostics

!x = memref<256x64xf32>
!w = memref<1024x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>
!y = memref<256x1024xf32>
// expected-error @+1 {{a device has no memory for what products make for each other ('weft.local')}}
func.func private @two(%x: !x, %w: !w, %v: !w, %y: !y) attributes {weft.kernel} {
  %g = weft.local : !y
  weft.contract [t in 256, f in 1024, d in 64] ins(%x[t, d], %w[f, d] : !x, !w) outs(%g : !y)
  weft.contract [t in 256, f in 1024, d in 64] ins(%x[t, d], %v[f, d], %g[t, f] : !x, !w, !y) outs(%y : !y) {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.mulf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}
