// What no emitter can do is refused where schedules are completed, before anything is written. What a schedule leaves open
// is chosen, so every case says only what is wrong.
// RUN: weft-opt %s --weft-assign-lowering="width=16" --split-input-file --verify-diagnostics

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{the target has no emitter "mop" for this; did you mean 'map'? The only choice is map}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"mop">} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{the target has no emitter "gemm" for this; the only choice is map}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm">} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{the target has no emitter "cubes" for this; the choices are gemm, contract}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"cubes">}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": unknown field 'row'; did you mean 'rows'? The choices are width, rows, vectors, parallel}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", row = 3>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": 'width' is 12, expected a power of 2 up to 64}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", width = 12>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": 'width' is 128, expected a power of 2 up to 64}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", width = 128>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": 'width' is 8.000000e+00 : f64, expected a number from 1 to 2^40}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", width = 8.0>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": 'width' is 8 : i128, expected a number from 1 to 2^40}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", width = 8 : i128>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": 'rows' is 0, expected a number from 1 to 2^40}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", rows = 0>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": 'rows' is -3, expected a number from 1 to 2^40}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", rows = -3>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": 'rows' is 2000000000000, expected a number from 1 to 2^40}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", rows = 2000000000000>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": 'parallel' is 1, expected true or false}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", parallel = 1>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": 'parallel' is true, expected false with one thread}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", parallel = true>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<f32>, %out: memref<f32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": 'width' is 8, expected 1 for a single element}}
  weft.map [] ins(%a[] : memref<f32>) outs(%out : memref<f32>) attributes {weft.lowering = #weft.lowering<"map", width = 8>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8xi1>) attributes {weft.kernel} {
  // expected-error @below {{lowering "check": unknown field 'rows'; the choices are width, vectors}}
  weft.check "all" [t in T = 8] ins(%a[t] : memref<8xi1>) attributes {weft.lowering = #weft.lowering<"check", rows = 4>} {
  ^bb0(%0: i1):
    weft.yield %0 : i1
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "contract": 'lane' is 0, expected the position of the output's last index or of a reduced one}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"contract", lane = 0>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "contract": 'lane' is 3, expected the position of the output's last index or of a reduced one}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"contract", lane = 3>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "contract": 'lane' is -1, expected a position from 0}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"contract", lane = -1>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "contract": 'lane' is 2, expected no index at width 1}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"contract", lane = 2, width = 1>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "contract": 'tile' is 6, expected a power of 2 up to the width, as the lanes are reduced}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"contract", lane = 2, tile = 6>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "contract": 'tile' is 32, expected a power of 2 up to the width, as the lanes are reduced}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"contract", lane = 2, tile = 32>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "contract": 'tile' is 65, expected at most 64}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"contract", lane = 1, tile = 65>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "contract": 'tiles_outside' is true, expected false without tiles}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"contract", tile = 1, tiles_outside = true>}
  return
}

// -----

func.func private @k(%a: memref<64xf32>, %out: memref<f32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "reduce": 'tile' is 4, expected 1 for a single result}}
  weft.reduce sum [d in D = 64] ins(%a[d] : memref<64xf32>) outs(%out : memref<f32>) attributes {weft.lowering = #weft.lowering<"reduce", tile = 4>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8xi32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "reduce": 'tile' is 4, expected 1 for an argmax}}
  weft.reduce argmax [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8xi32>)
      attributes {weft.lowering = #weft.lowering<"reduce", tile = 4>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm" needs two factors that can be multiplied, one of them packed}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm">}
  return
}

// -----

func.func private @k(%a: memref<8x64xbf16>, %w: memref<128x64xf16, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm" needs two factors that can be multiplied, one of them packed}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xbf16>, memref<128x64xf16, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", k = 64, panels = 1, parallel = false, rows = 128, tile = [8, 32], unroll = 4, width = 16>}
  return
}

// -----

func.func private @k(%w: memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %a: memref<8x64xf32>, %out: memref<128x8xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm" needs two factors that can be multiplied, one of them packed}}
  weft.contract [f in F = 128, t in T = 8, d in D = 64]
      ins(%w[f, d], %a[t, d] : memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, memref<8x64xf32>) outs(%out : memref<128x8xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm">}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'width' is 64, expected vectors that divide the 32 columns of a panel}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", width = 64>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'width' is 1, expected vectors that divide the 32 columns of a panel}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", width = 1>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'tile' is 8, expected a list of numbers from 1 to 2^40}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", tile = 8>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'tile' is [8, 0], expected a list of numbers from 1 to 2^40}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", tile = [8, 0]>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'tile' is [8], expected rows, and the 32 columns of a panel}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", tile = [8]>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'tile' is [8, 16], expected rows, and the 32 columns of a panel}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", tile = [8, 16]>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'tile' is [40, 32], expected at most 64 vectors}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", tile = [40, 32]>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'rows' is 12, expected a multiple of the rows of the tile}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", tile = [8, 32], rows = 12>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'rows' is 3592, expected sums of at most 458752 bytes for a panel}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", rows = 3592>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'k' is 65, expected at most 64}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", k = 65>}
  return
}

// -----

func.func private @k(%a: memref<3x8x5xf32>, %w: memref<32x3x5xf32, #weft.layout<n = [0], k = [1, 2], tile = [16, 1]>>, %out: memref<8x32xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'k' is 5, expected 15, as it is not one run}}
  weft.contract [t in T = 8, f in F = 32, h in H = 3, e in E = 5]
      ins(%a[h, t, e], %w[f, h, e] : memref<3x8x5xf32>, memref<32x3x5xf32, #weft.layout<n = [0], k = [1, 2], tile = [16, 1]>>) outs(%out : memref<8x32xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", k = 5>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'panels' is 5, expected at most 4}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", panels = 5>}
  return
}

// -----

func.func private @k(%a: memref<8x2x64xf32>, %w: memref<128x64xf32>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "contract": 'tile' is 8, expected 1 for several sums of an element}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64, p in P = 2]
      ins(%a[t, p, d], %w[f, d] : memref<8x2x64xf32>, memref<128x64xf32>) outs(%out : memref<8x128xf32>)
      attributes {apart, weft.lowering = #weft.lowering<"contract", width = 16, lane = 2, tile = 8>} {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.subf %0, %1 : f32
    weft.yield %2 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'near_k' is 32, expected none, or whole steps of tiles that multiply rows where they lie, at most k}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", width = 16, tile = [8, 32], rows = 8, near_k = 32>}
  return
}

// -----

func.func private @k(%a: memref<8x64xbf16>, %w: memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'near_k' is 48, expected none, or whole steps of tiles that multiply rows where they lie, at most k}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xbf16>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", width = 16, tile = [32, 32], rows = 32, k = 64, near_k = 48, unit = "tiles">}
  return
}

// -----

func.func private @k(%a: memref<8x64xbf16>, %w: memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'padded' is 8, expected none, or 16 for tiles that multiply rows where they lie}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xbf16>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", width = 16, tile = [32, 32], rows = 32, k = 64, padded = 8, unit = "tiles">}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'near' is 0, expected a number from 1 to 2^40}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", near = 0>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'prefetch' is 1, expected true or false}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", prefetch = 1>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'unroll' is 65, expected at most 64}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", unroll = 65>}
  return
}

// -----

func.func private @k(%q: memref<64x16xf32>, %out: memref<64x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'tile' is 65, expected at most 64}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 16, s in T = 64, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x16xf32>, memref<64x16xf32>, memref<64x16xf32>)
      outs(%out : memref<64x16xf32>) attributes {weft.lowering = #weft.lowering<"attention", tile = 65>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<64x16xf32>, %out: memref<64x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'width' is 32, expected at most 16, as keys before the first are read, too}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 16, s in T = 64, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x16xf32>, memref<64x16xf32>, memref<64x16xf32>)
      outs(%out : memref<64x16xf32>) attributes {key_lower = affine_map<(t, v) -> (t - 20)>, weft.lowering = #weft.lowering<"attention", width = 32, keys = 64>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<64x16xf32>, %out: memref<64x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'queries' is 12, expected a multiple of the tile}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 16, s in T = 64, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x16xf32>, memref<64x16xf32>, memref<64x16xf32>)
      outs(%out : memref<64x16xf32>) attributes {weft.lowering = #weft.lowering<"attention", tile = 8, queries = 12>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<64x16xf32>, %out: memref<64x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'keys' is 16, expected a multiple of two vectors}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 16, s in T = 64, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x16xf32>, memref<64x16xf32>, memref<64x16xf32>)
      outs(%out : memref<64x16xf32>) attributes {weft.lowering = #weft.lowering<"attention", keys = 16>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @streams(%q: memref<64x16xf32>, %out: memref<64x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'streams' is 3, expected none, or what divides two vectors, of a whole head}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 16, s in T = 64, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x16xf32>, memref<64x16xf32>, memref<64x16xf32>)
      outs(%out : memref<64x16xf32>) attributes {weft.lowering = #weft.lowering<"attention", streams = 3>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<16xf32>, %k: memref<8x16xf32>, %out: memref<16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'tile' is 2, expected 1, as no queries share keys}}
  weft.attention softmax dots 1 scales [1.0] [v in C = 16, s in S = 8, c in C = 16]
      ins(%q[c], %k[s, c], %k[s, v] : memref<16xf32>, memref<8x16xf32>, memref<8x16xf32>) outs(%out : memref<16xf32>)
      attributes {weft.lowering = #weft.lowering<"attention", tile = 2, queries = 2>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<16xf32>, %k: memref<8x16xf32>, %out: memref<16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'queries' is 2, expected 1, as no queries share keys}}
  weft.attention softmax dots 1 scales [1.0] [v in C = 16, s in S = 8, c in C = 16]
      ins(%q[c], %k[s, c], %k[s, v] : memref<16xf32>, memref<8x16xf32>, memref<8x16xf32>) outs(%out : memref<16xf32>)
      attributes {weft.lowering = #weft.lowering<"attention", queries = 2>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<64x16xf32>, %out: memref<64x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": the blocks take 1749024 bytes of the stack, expected at most 458752}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 16, s in T = 64, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x16xf32>, memref<64x16xf32>, memref<64x16xf32>)
      outs(%out : memref<64x16xf32>) attributes {weft.lowering = #weft.lowering<"attention", queries = 8192, keys = 64>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<64x16xf32>, %out: memref<64x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'keys' is 1099511627776, expected a multiple of two vectors}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 16, s in T = 64, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x16xf32>, memref<64x16xf32>, memref<64x16xf32>)
      outs(%out : memref<64x16xf32>) attributes {weft.lowering = #weft.lowering<"attention", keys = 1099511627776>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<64x16xf32>, %out: memref<64x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'slices' is [32], expected none, or one for each product and one for the columns}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 16, s in T = 64, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x16xf32>, memref<64x16xf32>, memref<64x16xf32>)
      outs(%out : memref<64x16xf32>) attributes {weft.lowering = #weft.lowering<"attention", slices = [32]>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<64x16xf32>, %out: memref<64x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'slices' is [32, 16], expected multiples of two vectors, no longer than what they are cut from}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 16, s in T = 64, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x16xf32>, memref<64x16xf32>, memref<64x16xf32>)
      outs(%out : memref<64x16xf32>) attributes {weft.lowering = #weft.lowering<"attention", slices = [32, 16]>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<64x16xf32>, %out: memref<64x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'slices' is [64, 32], expected multiples of two vectors, no longer than what they are cut from}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 16, s in T = 64, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x16xf32>, memref<64x16xf32>, memref<64x16xf32>)
      outs(%out : memref<64x16xf32>) attributes {weft.lowering = #weft.lowering<"attention", slices = [64, 32]>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<64x16xf32>, %out: memref<64x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'unit' is "tiles", expected none, or "tiles" or "dots" of 16 lanes for queries, keys and values of bf16}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 16, s in T = 64, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x16xf32>, memref<64x16xf32>, memref<64x16xf32>)
      outs(%out : memref<64x16xf32>) attributes {weft.lowering = #weft.lowering<"attention", unit = "tiles">} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<64x16xbf16>, %out: memref<64x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'tile' is 8, expected 32 rows}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 16, s in T = 64, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x16xbf16>, memref<64x16xbf16>, memref<64x16xbf16>)
      outs(%out : memref<64x16xf32>) attributes {weft.lowering = #weft.lowering<"attention", tile = 8, queries = 16, unit = "tiles">} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<64x16xf32>, %out: memref<64x16xbf16>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'slices' is [32, 32], expected none, as tiles are of whole heads, and an output that is not f32 holds no sums}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 16, s in T = 64, c in C = 16]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x16xf32>, memref<64x16xf32>, memref<64x16xf32>)
      outs(%out : memref<64x16xbf16>) attributes {weft.lowering = #weft.lowering<"attention", slices = [32, 32]>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<64x1000xf32>, %out: memref<64x1000xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": the blocks take}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 1000, s in T = 64, c in C = 1000]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x1000xf32>, memref<64x1000xf32>, memref<64x1000xf32>)
      outs(%out : memref<64x1000xf32>) attributes {weft.lowering = #weft.lowering<"attention", queries = 64, keys = 64, slices = []>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%q: memref<64x200000xf32>, %out: memref<64x200000xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention": 'slices' is [], expected slices, as heads are wide}}
  weft.attention softmax dots 1 scales [1.0] [t in T = 64, v in C = 200000, s in T = 64, c in C = 200000]
      ins(%q[t, c], %q[s, c], %q[s, v] : memref<64x200000xf32>, memref<64x200000xf32>, memref<64x200000xf32>)
      outs(%out : memref<64x200000xf32>) attributes {weft.lowering = #weft.lowering<"attention", slices = []>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

func.func private @k(%a: memref<64x8xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "transpose": 'across' is 1, expected the position of an index along which an input lies that the lanes gather}}
  weft.map [t in T = 8, d in D = 64] ins(%a[d, t] : memref<64x8xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"transpose", across = 1, parallel = false, run = 8, width = 8>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<64x8xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "transpose": 'run' is 12, expected a multiple of the width}}
  weft.map [t in T = 8, d in D = 64] ins(%a[d, t] : memref<64x8xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"transpose", across = 0, parallel = false, run = 12, width = 8>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{the target has no emitter "transpose" for this; the only choice is map}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"transpose">} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "softmax": 'passes' is 4, expected 2 or 3}}
  weft.softmax softmax axis 1 [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"softmax", passes = 4>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "softmax": 'chains' is 65, expected at most 64}}
  weft.softmax softmax axis 1 [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"softmax", chains = 65>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "row": 'tile' is 65, expected at most 64}}
  weft.row axis 1 [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"row", tile = 65>} sum {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    weft.yield %sum : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "row": 'tile' is 2, expected 1 for a single row, and where the axis is not stored last}}
  weft.row axis 0 [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"row", tile = 2>} sum {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    weft.yield %sum : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "row": 'width' is 3, expected a power of 2 up to 64}}
  weft.row axis 1 [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"row", width = 3>} sum {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  } element {
  ^bb0(%sum: f32, %0: f32):
    weft.yield %sum : f32
  }
  return
}

// -----

// Tiles of factors that are split hold 32 numbers of each row.
func.func private @k(%a: memref<8x64xf32, #weft.layout<parts = 2, n = [0], k = [1], tile = [32, 32]>>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'k' is 48, expected at most 64, in whole tiles}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32, #weft.layout<parts = 2, n = [0], k = [1], tile = [32, 32]>>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>)
      outs(%out : memref<8x128xf32>) attributes {weft.lowering = #weft.lowering<"gemm", k = 48>}
  return
}

// -----

// One row of parts is multiplied without tiles; not more of them, nor one with an unit of another width.
func.func private @k(%a: memref<8x64xf32, #weft.layout<parts = 2, n = [0], k = [1], tile = [32, 32]>>, %w: memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'halves' is 1, expected none, or 1 for tiles of 16 lanes, of parts or of bf16 with rows as far from each other}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32, #weft.layout<parts = 2, n = [0], k = [1], tile = [32, 32]>>, memref<128x64xf32, #weft.layout<n = [0], k = [1], tile = [32, 1]>>)
      outs(%out : memref<8x128xf32>) attributes {weft.lowering = #weft.lowering<"gemm", width = 8, halves = 1>}
  return
}

// -----

func.func private @k(%a: memref<8x64xf32, #weft.layout<parts = 2, n = [0], k = [1], tile = [32, 32]>>, %w: memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'halves' is 2, expected none, or 1 for tiles}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32, #weft.layout<parts = 2, n = [0], k = [1], tile = [32, 32]>>, memref<128x64xbf16, #weft.layout<n = [0], k = [1], tile = [32, 2]>>)
      outs(%out : memref<8x128xf32>) attributes {weft.lowering = #weft.lowering<"gemm", halves = 2>}
  return
}

// -----

// Panels of parts are no factor: those that are split lie as f32.
func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf32, #weft.layout<parts = 2, n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm" needs two factors that can be multiplied, one of them packed}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf32, #weft.layout<parts = 2, n = [0], k = [1], tile = [32, 1]>>)
      outs(%out : memref<8x128xf32>) attributes {weft.lowering = #weft.lowering<"gemm">}
  return
}

// -----

func.func private @k(%a: memref<64xf32>, %out: memref<64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": 'tile' is 8, expected no field where there are no rows}}
  weft.map [d in D = 64] ins(%a[d] : memref<64xf32>) outs(%out : memref<64xf32>) attributes {weft.lowering = #weft.lowering<"map", tile = 8>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "reduce": 'vectors' is 1, expected 'rows' where a row is not cut into vectors}}
  weft.reduce sum [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8xf32>)
      attributes {weft.lowering = #weft.lowering<"reduce", vectors = 1>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%a: memref<8x64xf32>, %out: memref<8x64xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "map": 'vectors' is 1, expected no field beside 'rows'}}
  weft.map [t in T = 8, d in D = 64] ins(%a[t, d] : memref<8x64xf32>) outs(%out : memref<8x64xf32>)
      attributes {weft.lowering = #weft.lowering<"map", rows = 1, vectors = 1>} {
  ^bb0(%0: f32):
    weft.yield %0 : f32
  }
  return
}

// -----

func.func private @k(%q: memref<8x2x16xf32>, %out: memref<8x2x16xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "attention_rows": 'columns' is 3, expected a divisor of the 16 columns}}
  weft.attention softmax dots 1 scales [0.25] [t in T = 8, h in H = 2, v in C = 16, s in T = 8, c in C = 16]
    ins(%q[t, h, c], %q[s, h, c], %q[s, h, v] : memref<8x2x16xf32>, memref<8x2x16xf32>, memref<8x2x16xf32>) outs(%out : memref<8x2x16xf32>)
    attributes {weft.lowering = #weft.lowering<"attention_rows", columns = 3, parallel = false>} {
  ^bb0(%s: f32):
    weft.yield %s : f32
  }
  return
}

// -----

// Integers times whole numbers: groups are not cut, the stack holds what rows add up to in each, and the numbers are whole.
func.func private @k(%a: memref<8x96xi8>, %w: memref<128x96xf32, #weft.layout<n = [0], k = [1], tile = [32, 1] codes = "int4*f16" group = 32>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'k' is 48, expected whole groups of codes}}
  weft.contract [t in T = 8, f in F = 128, d in D = 96]
      ins(%a[t, d], %w[f, d] : memref<8x96xi8>, memref<128x96xf32, #weft.layout<n = [0], k = [1], tile = [32, 1] codes = "int4*f16" group = 32>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", k = 48>}
  return
}

// -----

func.func private @k(%a: memref<8x8192xi8>, %w: memref<128x8192xf32, #weft.layout<n = [0], k = [1], tile = [32, 1] codes = "int4*f16" group = 32>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'rows' is 240, expected sums of groups of at most 229376 bytes}}
  weft.contract [t in T = 8, f in F = 128, d in D = 8192]
      ins(%a[t, d], %w[f, d] : memref<8x8192xi8>, memref<128x8192xf32, #weft.layout<n = [0], k = [1], tile = [32, 1] codes = "int4*f16" group = 32>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", k = 512, rows = 240>}
  return
}

// -----

func.func private @k(%a: memref<8x96xi8>, %w: memref<128x96xf32, #weft.layout<n = [0], k = [1], tile = [32, 1] codes = "nf4*f16" group = 32>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm" needs two factors that can be multiplied, one of them packed}}
  weft.contract [t in T = 8, f in F = 128, d in D = 96]
      ins(%a[t, d], %w[f, d] : memref<8x96xi8>, memref<128x96xf32, #weft.layout<n = [0], k = [1], tile = [32, 1] codes = "nf4*f16" group = 32>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm">}
  return
}

// -----

// Rows that are made f32 first have 16 bits, and those of a block fit the stack.
func.func private @k(%a: memref<8x64xf32>, %w: memref<128x64xf16, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'unit' is "reals", expected none, "tiles" for pairs of bf16 side by side in panels of 32 columns, "words" for codes of 4 bits or of the checkpoint, or "reals" for rows of 16 bits side by side}}
  weft.contract [t in T = 8, f in F = 128, d in D = 64]
      ins(%a[t, d], %w[f, d] : memref<8x64xf32>, memref<128x64xf16, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", unit = "reals">}
  return
}

// -----

func.func private @k(%a: memref<8x5000xf16>, %w: memref<128x5000xf16, #weft.layout<n = [0], k = [1], tile = [32, 1]>>, %out: memref<8x128xf32>) attributes {weft.kernel} {
  // expected-error @below {{lowering "gemm": 'rows' is 128, expected words or reals of at most 229376 bytes}}
  weft.contract [t in T = 8, f in F = 128, d in D = 5000]
      ins(%a[t, d], %w[f, d] : memref<8x5000xf16>, memref<128x5000xf16, #weft.layout<n = [0], k = [1], tile = [32, 1]>>) outs(%out : memref<8x128xf32>)
      attributes {weft.lowering = #weft.lowering<"gemm", k = 5000, rows = 128>}
  return
}
