#!/usr/bin/python3
"""Rewrites an ONNX model for dynamic int8 quantization, as ONNX Runtime's quantize_dynamic does:

    /usr/bin/python3 tests/bench/onnx_int8.py IN.onnx OUT.onnx

Each MatMul by a constant matrix becomes DynamicQuantizeLinear of the rows (u8), MatMulInteger by the matrix
(i8, one scale per column), and a multiplication by the scales; ONNX Runtime fuses these into one kernel.
Needs python3-onnx.
"""
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper


def quantized(weights):
    """i8 [K,N] and the scales [N]."""
    scales = np.maximum(np.abs(weights).max(axis=0), 1e-30) / 127
    return np.rint(weights / scales).astype(np.int8), scales.astype(np.float32)


def rewrite(model):
    graph = model.graph
    constants = {tensor.name: tensor for tensor in graph.initializer}
    nodes, dropped, rows = [], set(), {}
    for node in graph.node:
        matrix = constants.get(node.input[1]) if node.op_type == "MatMul" else None
        if matrix is None:
            nodes.append(node)
            continue
        whole, scales = quantized(numpy_helper.to_array(matrix))
        name, x = node.output[0], node.input[0]
        graph.initializer.extend([numpy_helper.from_array(whole, name + "_w"), numpy_helper.from_array(scales, name + "_s"),
                                  numpy_helper.from_array(np.int8(0), name + "_z")])
        dropped.add(matrix.name)
        if x not in rows:
            rows[x] = [x + part for part in ("_q", "_scale", "_zero")]
            nodes.append(helper.make_node("DynamicQuantizeLinear", [x], rows[x]))
        q, scale, zero = rows[x]
        nodes += [helper.make_node("MatMulInteger", [q, name + "_w", zero, name + "_z"], [name + "_i"]),
                  helper.make_node("Cast", [name + "_i"], [name + "_f"], to=onnx.TensorProto.FLOAT),
                  helper.make_node("Mul", [scale, name + "_s"], [name + "_m"]),
                  helper.make_node("Mul", [name + "_f", name + "_m"], [name])]
    kept = [tensor for tensor in graph.initializer if tensor.name not in dropped]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend(kept)
    return len(dropped)


def main():
    source, target = sys.argv[1:]
    model = onnx.load(source)
    count = rewrite(model)
    onnx.save(model, target)
    print(f"{count} matrices")


if __name__ == "__main__":
    main()
