// An attention, the logarithm of the sum of each row's exponentials, and their largest exponents; rows 0 and 1 see no key.
!q = tensor<?x2x24xf32, #weft.bounds<T to 40>>
!v = tensor<?x2x10xf32, #weft.bounds<T to 40>>
!rows = tensor<?x2xf32, #weft.bounds<T to 40>>
module attributes {weft.model = "M", weft.stage = "graph", weft.symbols = #weft.bounds<T to 40>} {
  func.func @logits(%q: !q {weft.name = "q"}, %k: !q {weft.name = "k"}, %v: !v {weft.name = "v"})
      -> (!v {weft.name = "logits"}, !rows {weft.name = "rows"}, !rows {weft.name = "largest"})
      attributes {weft.entry, weft.generate = #weft.generate<"logits", along = "T">} {
    %y, %rows, %largest = weft.attention softmax dots 1 scales [0.2] [t in T to 40, h in H = 2, v in V = 10, s in T to 40, c in C = 24]
        ins(%q[t, h, c], %k[s, h, c], %v[s, h, v] : !q, !q, !v)
        attributes {output_maps = [affine_map<(t, h, v, s, c) -> (t, h, v)>, affine_map<(t, h, v, s, c) -> (t, h)>,
                                    affine_map<(t, h, v, s, c) -> (t, h)>],
                    weft.label = "y"} {
    ^bb0(%dot: f32):
      weft.yield %dot : f32
    } where {
      %t = weft.index 0
      %s = weft.index 3
      %c2 = arith.constant 2 : index
      %behind = arith.addi %s, %c2 : index
      %p = arith.cmpi sle, %behind, %t : index
      weft.yield %p : i1
    } -> !v, !rows, !rows
    %logits = weft.map [t in T to 40, h in H = 2, v in V = 10] ins(%y[t, h, v], %rows[t, h] : !v, !rows)
        attributes {weft.label = "logits"} {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.negf %1 : f32
      %3 = math.exp %2 : f32
      %4 = arith.addf %0, %3 : f32
      weft.yield %4 : f32
    } -> !v
    return %logits, %rows, %largest : !v, !rows, !rows
  }
}
