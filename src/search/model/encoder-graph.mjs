/**
 * The Universal Sentence Encoder lite as an ONNX graph: a transformer of two layers over pieces of text, the mean of its
 * places, and one dense layer. Used by build. Where the original packs the places of all texts end to end, here they stand
 * in rows [batch, length] with a mask, as ONNX text models have it. Source: Cer et al. 2018, "Universal Sentence Encoder",
 * and the graph in the package's model.json, whose names are kept.
 *
 * Weights are int8 with a scale for each output of a layer. What flows through is made int8 before each layer with a scale
 * for each place, so that a text's embedding does not depend on what else is in its batch.
 */
import { OnnxGraph } from "./onnx-writer.mjs";

/** Places that the model was trained for, and which it cuts texts to. */
const MAX_LENGTH = 128;
const HEADS = 4;
/** ONNX's numbers of types. */
const FLOAT = 1;
const UINT8 = 2;
const LAYER_NORM_EPSILON = 1e-6;
/** What a place that holds no piece adds to its attention score. */
const MASKED = -1e9;
export const DIMENSION = 512;

/** `weight`: of tfjs-weights. Returns an OnnxGraph. */
export function sentenceEncoder(weight, { quantized = true } = {}) {
  const g = new OnnxGraph();
  const ids = g.input("input_ids", "int64", ["batch", "length"]);
  const mask = g.node("Cast", [g.input("attention_mask", "int64", ["batch", "length"])], { to: FLOAT });
  const maskColumn = g.node("Unsqueeze", [mask, g.ints(2)]);

  const absent = g.node("Sub", [g.float(1), mask]);
  const attentionBias = g.node("Mul", [g.node("Unsqueeze", [absent, g.ints(1, 2)]), g.float(MASKED)]);

  const pieces = pieceVectors();
  // The original adds the pieces to what is already pieces and timing.
  let places = g.node("Add", [g.node("Add", [pieces, pieces]), timing()]);
  for (const layer of [0, 1]) places = feedForward(layer, attention(layer, places));

  const sum = g.node("ReduceSum", [g.node("Mul", [places, maskColumn]), g.ints(1)], { keepdims: 0 });
  const mean = g.node("Div", [sum, g.node("ReduceSum", [mask, g.ints(1)], { keepdims: 1 })]);
  const hidden = g.node("Tanh", [linear(mean, "tanh_layer_0/weights", "tanh_layer_0/bias")]);
  const length = g.node("ReduceL2", [hidden], { axes: [1], keepdims: 1 });
  g.result("sentence_embedding", "Div", [hidden, length]);
  g.output("sentence_embedding", "float", ["batch", DIMENSION]);
  return g;

  function pieceVectors() {
    const { data, shape } = weight("Embeddings_en");
    if (!quantized) return g.node("Gather", [g.constant(data, shape), ids]);
    const { values, scales } = quantizeRows(data, shape);
    const rows = g.node("Cast", [g.node("Gather", [g.constant(values, shape), ids])], { to: FLOAT });
    return g.node("Mul", [rows, g.node("Gather", [g.constant(scales, [shape[0], 1]), ids])]);
  }

  /** Sines, then cosines, of each place's number at 128 frequencies. */
  function timing() {
    const { data: frequencies } = weight("TimingSignal/ExpandDims_1");
    const count = g.node("Shape", [ids], { start: 1, end: 2 });
    const numbers = g.constant(
      Float32Array.from({ length: MAX_LENGTH }, (_, place) => place),
      [MAX_LENGTH, 1],
    );
    const angles = g.node("Mul", [
      g.node("Slice", [numbers, g.ints(0), count, g.ints(0)]),
      g.constant(frequencies, [1, frequencies.length]),
    ]);
    return g.node("Concat", [g.node("Sin", [angles]), g.node("Cos", [angles])], { axis: 1 });
  }

  /** `x` [batch, length, width]; adds what the places tell each other. The first layer widens what it adds to. */
  function attention(layer, x) {
    const at = `Encode/Layer_${layer}/TransformerLayer`;
    const part = `${at}/MultiheadAttention`;
    const normed = layerNorm(x, `${at}/layer_prepostprocess/layer_norm`);
    const qkv = linear(
      normed,
      `${part}/qkv_transform_single/kernel/part_0`,
      `${part}/qkv_transform_single/bias/ConcatPartitions/concat`,
    );
    const [q, k, v] = g.node("Split", [qkv], { axis: 2 }, 3);
    const scores = g.node("MatMul", [heads(q, [0, 2, 1, 3]), heads(k, [0, 2, 3, 1])]);
    const width = weight(`${part}/qkv_transform_single/kernel/part_0`).shape.at(-2);
    const scaled = g.node("Mul", [scores, g.float((width / HEADS) ** -0.5)]);
    const shares = g.node("Softmax", [g.node("Add", [scaled, attentionBias])], { axis: 3 });
    const heard = g.node("MatMul", [shares, heads(v, [0, 2, 1, 3])]);
    const joined = g.node("Reshape", [
      g.node("Transpose", [heard], { perm: [0, 2, 1, 3] }),
      g.ints(0, 0, width),
    ]);
    const told = linear(
      joined,
      `${part}/output_transform_single/kernel/part_0`,
      `${part}/output_transform_single/bias/ConcatPartitions/concat`,
    );
    const kept =
      layer === 0
        ? linear(x, `${at}/dense/kernel/ConcatPartitions/concat`, `${at}/dense/bias/ConcatPartitions/concat`)
        : x;
    return g.node("Add", [told, kept]);
  }

  /** [batch, length, width] to [batch, heads, length, width / heads], or as `order` has these axes. */
  function heads(x, order) {
    return g.node("Transpose", [g.node("Reshape", [x, g.ints(0, 0, HEADS, -1)])], { perm: order });
  }

  function feedForward(layer, x) {
    const at = `Encode/Layer_${layer}/TransformerLayer/FFN`;
    const inner = `TransformerStack/Layer_${layer}/TransformerLayer/FFN`;
    const normed = layerNorm(x, `${at}/layer_prepostprocess/layer_norm`);
    const wide = g.node("Relu", [
      linear(normed, `${inner}/conv1/Tensordot/Reshape_1`, `${at}/conv1/bias/ConcatPartitions/concat`),
    ]);
    const narrow = linear(
      wide,
      `${inner}/conv2/Tensordot/Reshape_1`,
      `${at}/conv2/bias/ConcatPartitions/concat`,
    );
    return g.node("Add", [narrow, x]);
  }

  function layerNorm(x, at) {
    const scale = vector(`${at}/layer_norm_scale/ConcatPartitions/concat`);
    const bias = vector(`${at}/layer_norm_bias/ConcatPartitions/concat`);
    return g.node("LayerNormalization", [x, scale, bias], {
      axis: -1,
      epsilon: { float: LAYER_NORM_EPSILON },
    });
  }

  /** A dense layer: the products of integers, then on the scales of their row and column. */
  function linear(x, kernel, bias) {
    const { data, shape: all } = weight(kernel);
    // Some stand as convolutions of one place, with two axes more.
    const shape = all.slice(-2);
    if (!quantized) return g.node("Add", [g.node("MatMul", [x, g.constant(data, shape)]), vector(bias)]);
    const { values, scales } = quantizeColumns(data, shape);
    const { integers, middle, rowScales } = quantizePlaces(x);
    const products = g.node("MatMulInteger", [integers, g.constant(values, shape), middle]);
    const byRow = g.node("Mul", [g.node("Cast", [products], { to: FLOAT }), rowScales]);
    return g.node("Add", [g.node("Mul", [byRow, g.constant(scales, [shape[1]])]), vector(bias)]);
  }

  /** Each place's vector on a scale of its own, around 128. */
  function quantizePlaces(x) {
    const largest = g.node("ReduceMax", [g.node("Abs", [x])], { axes: [-1], keepdims: 1 });
    const rowScales = g.node("Mul", [g.node("Max", [largest, g.float(1e-12)]), g.float(1 / 127)]);
    const rounded = g.node("Round", [g.node("Div", [x, rowScales])]);
    const integers = g.node("Cast", [g.node("Add", [rounded, g.float(128)])], { to: UINT8 });
    return { integers, middle: g.constant(Uint8Array.of(128), []), rowScales };
  }

  function vector(ending) {
    const { data, shape } = weight(ending);
    return g.constant(data, shape);
  }
}

/** Each row on a scale of its own: its largest value becomes 127. */
function quantizeRows(data, [rows, columns]) {
  const scales = new Float32Array(rows);
  for (let at = 0; at < data.length; at++) {
    const row = Math.floor(at / columns);
    scales[row] = Math.max(scales[row], Math.abs(data[at]));
  }
  return quantize(data, scales, (at) => Math.floor(at / columns));
}

function quantizeColumns(data, [, columns]) {
  const scales = new Float32Array(columns);
  for (let at = 0; at < data.length; at++) {
    scales[at % columns] = Math.max(scales[at % columns], Math.abs(data[at]));
  }
  return quantize(data, scales, (at) => at % columns);
}

/** `scales` holds each channel's largest value, and becomes what one step of int8 is worth. */
function quantize(data, scales, channelOf) {
  for (let channel = 0; channel < scales.length; channel++) scales[channel] = (scales[channel] || 1) / 127;
  const values = Int8Array.from(data, (value, at) => Math.round(value / scales[channelOf(at)]));
  return { values, scales };
}
