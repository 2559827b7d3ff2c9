/**
 * A model's bytes, kept by storage and backups. Written by `encode` of the models, read by decodeModel. Little-endian.
 *
 * | offset | type | content |
 * |---|---|---|
 * | 0 | 4 bytes | `VXRM` |
 * | 4 | u32 | version, 1 |
 * | 8 | u32 | method: 0 PCA, 1 t-SNE, 2 UMAP |
 * | 12 | u32 | dimension |
 * | 16 | u32 | target |
 * | 20 | u32 | rows: fitted vectors that are kept; PCA: 0 |
 * | 24 | u32 | 0 |
 * | 28 | u32 | CRC-32C of bytes 0 to 27 and all from 32 on |
 * | 32 | f32 | PCA: the mean [dimension], then the components, row-major [target, dimension] |
 * | | | t-SNE, UMAP: the vectors, row-major [rows, dimension], then their places, row-major [rows, target] |
 *
 * Every number is finite. Components are orthonormal, most variance first.
 */
import { VxError } from "../errors.ts";
import { crc32c } from "../storage/crc32.ts";
import { MAX_FITTED, MAX_REDUCED_DIMENSION } from "./limits.ts";
import type { ReductionMethod } from "./model.ts";

const MAGIC = 0x4d525856;
const VERSION = 1;
const HEADER_BYTES = 32;
const CRC_OFFSET = 28;
const methods: ReductionMethod[] = ["pca", "tsne", "umap"];

export interface ModelContent {
  method: ReductionMethod;
  dimension: number;
  target: number;
  /** Fitted vectors that are kept. */
  rows: number;
  /** PCA: the mean. Otherwise the vectors, row-major [rows, dimension]. */
  first: Float32Array;
  /** PCA: the components, row-major [target, dimension]. Otherwise the places, row-major [rows, target]. */
  second: Float32Array;
}

export function writeModel(content: ModelContent): Uint8Array<ArrayBuffer> {
  const { method, dimension, target, rows, first, second } = content;
  const bytes = new Uint8Array(HEADER_BYTES + (first.length + second.length) * 4);
  const view = new DataView(bytes.buffer);
  const words = [MAGIC, VERSION, methods.indexOf(method), dimension, target, rows];
  for (const [i, word] of words.entries()) view.setUint32(i * 4, word, true);
  let offset = HEADER_BYTES;
  for (const numbers of [first, second]) {
    for (const number of numbers) {
      view.setFloat32(offset, number, true);
      offset += 4;
    }
  }
  view.setUint32(CRC_OFFSET, checksum(bytes), true);
  return bytes;
}

/** @throws VxError `backup_corrupt` */
export function readModel(bytes: Uint8Array): ModelContent {
  if (bytes.byteLength < HEADER_BYTES) throw damaged(`it has ${bytes.byteLength} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const word = (offset: number) => view.getUint32(offset, true);
  if (word(0) !== MAGIC) throw damaged("it is not one");
  if (word(4) !== VERSION) throw damaged(`its version is ${word(4)}, this program reads ${VERSION}`);
  const method = methods[word(8)];
  const [dimension, target, rows] = [word(12), word(16), word(20)];
  const isPca = method === "pca";
  const sound =
    method !== undefined &&
    dimension >= 1 &&
    dimension <= MAX_REDUCED_DIMENSION &&
    target >= 1 &&
    target <= dimension &&
    rows <= MAX_FITTED &&
    rows > 0 !== isPca &&
    word(24) === 0;
  if (!sound) throw damaged("its header is out of range");
  const firstCount = isPca ? dimension : rows * dimension;
  const secondCount = isPca ? target * dimension : rows * target;
  const wanted = HEADER_BYTES + (firstCount + secondCount) * 4;
  if (bytes.byteLength !== wanted) throw damaged(`it has ${bytes.byteLength} bytes instead of ${wanted}`);
  if (word(CRC_OFFSET) !== checksum(bytes)) throw damaged("its checksum is wrong");
  const first = floatsAt(view, HEADER_BYTES, firstCount);
  const second = floatsAt(view, HEADER_BYTES + firstCount * 4, secondCount);
  return { method, dimension, target, rows, first, second };
}

function floatsAt(view: DataView, offset: number, count: number): Float32Array {
  const floats = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const number = view.getFloat32(offset + i * 4, true);
    if (!Number.isFinite(number)) throw damaged("a number in it is not finite");
    floats[i] = number;
  }
  return floats;
}

function checksum(bytes: Uint8Array): number {
  return crc32c(bytes.subarray(HEADER_BYTES), crc32c(bytes.subarray(0, CRC_OFFSET)));
}

function damaged(what: string): VxError {
  return new VxError(
    "backup_corrupt",
    `The stored model of dimensionality reduction cannot be used: ${what}`,
  );
}
