/**
 * Writes an ONNX model: a graph is gathered node by node, then turned into bytes. Used by encoder-graph and build. Only what
 * our encoder needs of the format is here. Source: onnx/onnx.proto3 (field numbers beside each write), opset 17.
 */
import { endianness } from "node:os";

const OPSET = 17;
const IR_VERSION = 8;
const TENSOR_TYPES = { float: 1, uint8: 2, int8: 3, int64: 7 };
const ATTRIBUTE = { float: 1, int: 2, ints: 7 };

if (endianness() !== "LE")
  throw new Error("Tensors are written as they lie in memory, which must be little-endian");

/** Gathers nodes and constants; every method that makes a value returns its name. */
export class OnnxGraph {
  #nodes = [];
  #constants = [];
  #inputs = [];
  #outputs = [];
  #count = 0;

  /** `shape`: a number, or the name of a size that is free. */
  input(name, type, shape) {
    this.#inputs.push(valueInfo(name, type, shape));
    return name;
  }

  output(name, type, shape) {
    this.#outputs.push(valueInfo(name, type, shape));
  }

  /** `data`: a Float32Array, Int8Array, Uint8Array or BigInt64Array, row-major. */
  constant(data, shape) {
    const name = `c${this.#count++}`;
    const tensor = [
      ...shape.map((size) => integer(1, size)),
      integer(2, TENSOR_TYPES[typeOf(data)]),
      text(8, name),
      bytes(9, Buffer.from(data.buffer, data.byteOffset, data.byteLength)),
    ];
    this.#constants.push(message(5, tensor));
    return name;
  }

  ints(...values) {
    return this.constant(BigInt64Array.from(values, BigInt), [values.length]);
  }

  float(value) {
    return this.constant(Float32Array.of(value), []);
  }

  /** One node; `attributes`: integers, `{ float }`, or arrays of integers. Returns its output, or all if `outputs` > 1. */
  node(operator, inputs, attributes = {}, outputs = 1) {
    const names = Array.from({ length: outputs }, () => `v${this.#count++}`);
    this.#add(operator, inputs, names, attributes);
    return outputs === 1 ? names[0] : names;
  }

  /** A node whose output bears the name of one of the graph's. */
  result(name, operator, inputs) {
    this.#add(operator, inputs, [name], {});
  }

  #add(operator, inputs, outputs, attributes) {
    const fields = [
      ...inputs.map((name) => text(1, name)),
      ...outputs.map((name) => text(2, name)),
      text(4, operator),
      ...Object.entries(attributes).map(([name, value]) => message(5, attribute(name, value))),
    ];
    this.#nodes.push(message(1, fields));
  }

  toBytes(producer) {
    const graph = [...this.#nodes, text(2, "encoder"), ...this.#constants, ...this.#inputs, ...this.#outputs];
    return Buffer.concat([
      integer(1, IR_VERSION),
      text(2, producer),
      message(7, graph),
      message(8, [integer(2, OPSET)]),
    ]);
  }
}

function attribute(name, value) {
  if (Array.isArray(value))
    return [text(1, name), ...value.map((item) => integer(8, item)), integer(20, ATTRIBUTE.ints)];
  if (typeof value === "object") return [text(1, name), float(2, value.float), integer(20, ATTRIBUTE.float)];
  return [text(1, name), integer(3, value), integer(20, ATTRIBUTE.int)];
}

function valueInfo(name, type, shape) {
  const sizes = shape.map((size) =>
    message(1, [typeof size === "number" ? integer(1, size) : text(2, size)]),
  );
  const tensor = message(1, [integer(1, TENSOR_TYPES[type]), message(2, sizes)]);
  const field = type === "int64" ? 11 : 12;
  return message(field, [text(1, name), message(2, [tensor])]);
}

function typeOf(data) {
  if (data instanceof Float32Array) return "float";
  if (data instanceof Int8Array) return "int8";
  if (data instanceof Uint8Array) return "uint8";
  if (data instanceof BigInt64Array) return "int64";
  throw new Error(`No tensor of ${data.constructor.name}`);
}

// Protocol Buffers: a field is its number and wire type (0 varint, 2 length and bytes, 5 four bytes), then its value.

function varint(value) {
  const out = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
  out.push(Number(rest));
  return Buffer.from(out);
}

const integer = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field, value) => Buffer.concat([varint((field << 3) | 2), varint(value.length), value]);
const text = (field, value) => bytes(field, Buffer.from(value));
const message = (field, parts) => bytes(field, Buffer.concat(parts));

function float(field, value) {
  const four = Buffer.alloc(4);
  four.writeFloatLE(value);
  return Buffer.concat([varint((field << 3) | 5), four]);
}
