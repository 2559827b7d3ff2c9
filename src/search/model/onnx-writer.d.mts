/** Types of onnx-writer, for tests that make models of their own. */

type Attribute = number | { float: number } | number[];

export class OnnxGraph {
  input(name: string, type: "float" | "int64", shape: (number | string)[]): string;
  output(name: string, type: "float" | "int64", shape: (number | string)[]): void;
  constant(data: Float32Array | Int8Array | Uint8Array | BigInt64Array, shape: number[]): string;
  ints(...values: number[]): string;
  float(value: number): string;
  node(operator: string, inputs: string[], attributes?: Record<string, Attribute>): string;
  result(name: string, operator: string, inputs: string[]): void;
  toBytes(producer: string): Uint8Array;
}
