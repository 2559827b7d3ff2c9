/**
 * The header that journal segments and snapshots begin with. Called by their writers and readers.
 *
 * It says what the file is and of which history: the `timeline` is 16 random bytes, new when an index is made and
 * at each restore, so that files of different pasts never mix; the `index id` stays. The `file id`, random too,
 * makes the file's key. Where a version has nothing to say, bytes are 0.
 * Where the file is encrypted, the whole header is associated data of everything in it. Little-endian.
 *
 * | offset | type | content |
 * |---|---|---|
 * | 0 | 4 bytes | `VXJL` journal segment, `VXSN` snapshot |
 * | 4 | u32 | format version: 1, or 2 where vectors are reduced, which version 1 knew nothing of |
 * | 8 | u32 | dimension of the vectors as they are added |
 * | 12 | u8 | metric: 0 cosine, 1 L2 |
 * | 13 | u8 | version 2: 1 PCA, 2 t-SNE, 3 UMAP; 128 more where it is adaptive |
 * | 14 | u16 | version 2: target, the dimension of reduced vectors |
 * | 16 | u64 | journal: number of the first operation; snapshot: of the last one in it |
 * | 24 | 16 bytes | timeline |
 * | 40 | 16 bytes | file id |
 * | 56 | u32 | rounds of PBKDF2-SHA-256; 0: not encrypted |
 * | 60 | 16 bytes | salt of the key |
 * | 76 | 16 bytes | key check |
 * | 92 | u32 | m |
 * | 96 | u32 | efConstruction |
 * | 100 | 16 bytes | index id |
 * | 116 | f32 | version 2: least variance to explain, 0 to 1 |
 * | 120 | u32 | version 2: vectors that the first model waits for |
 * | 124 | u32 | CRC-32C of bytes 0 to 123 |
 */
import { VxError } from "../errors.ts";
import { crc32c } from "./crc32.ts";
import { damaged, tooNew } from "./damage.ts";
import { toHex } from "./hex.ts";
import { CHECK_BYTES, type KeyFacts, SALT_BYTES } from "./key.ts";
import { checkedReduction, METHODS, type ReductionFacts, reductionMark } from "./reduction-facts.ts";
import type { IndexFacts } from "./stored-index.ts";

export const HEADER_BYTES = 128;

/** Bytes of what tells indexes, histories, files and archives from others: random, but for an index in memory. */
export const ID_BYTES = 16;

const FORMAT_VERSION = 2;

const ADAPTIVE = 128;

const CRC_OFFSET = 124;
const magics = { journal: 0x4c4a5856, snapshot: 0x4e535856 };

export type FileKind = keyof typeof magics;

/** What the files of one history have in common. */
export interface History {
  facts: IndexFacts;
  indexId: Uint8Array<ArrayBuffer>;
  timeline: Uint8Array<ArrayBuffer>;
  /** Undefined: not encrypted. */
  key: KeyFacts | undefined;
}

export interface FileHeader extends History {
  kind: FileKind;
  sequence: number;
  fileId: Uint8Array<ArrayBuffer>;
}

/** True if the files are of one history: of one index, since it was made or last restored. */
export function sameHistory(a: History, b: History): boolean {
  const facts = ({ dimension, metric, m, efConstruction, reduction }: IndexFacts) =>
    [dimension, metric, m, efConstruction, reductionMark(reduction)].join();
  return toHex(a.timeline) === toHex(b.timeline) && facts(a.facts) === facts(b.facts);
}

export function randomId(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(ID_BYTES));
}

export function encodeHeader(header: FileHeader): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, magics[header.kind], true);
  const { reduction } = header.facts;
  view.setUint32(4, reduction === undefined ? 1 : 2, true);
  view.setUint32(8, header.facts.dimension, true);
  view.setUint8(12, header.facts.metric === "cosine" ? 0 : 1);
  if (reduction !== undefined) encodeReduction(reduction, view);
  view.setBigUint64(16, BigInt(header.sequence), true);
  bytes.set(header.timeline, 24);
  bytes.set(header.fileId, 40);
  if (header.key !== undefined) {
    view.setUint32(56, header.key.rounds, true);
    bytes.set(header.key.salt, 60);
    bytes.set(header.key.check, 76);
  }
  view.setUint32(92, header.facts.m, true);
  view.setUint32(96, header.facts.efConstruction, true);
  bytes.set(header.indexId, 100);
  view.setUint32(CRC_OFFSET, crc32c(bytes.subarray(0, CRC_OFFSET)), true);
  return bytes;
}

/** True if the bytes were once written as a header, of whatever version. */
export function isHeader(bytes: Uint8Array): boolean {
  if (bytes.byteLength < HEADER_BYTES) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  return view.getUint32(CRC_OFFSET, true) === crc32c(bytes.subarray(0, CRC_OFFSET));
}

/** @throws VxError for damage, another kind of file, a newer version */
export function decodeHeader(bytes: Uint8Array, kind: FileKind, place: string): FileHeader {
  if (!isHeader(bytes)) throw damaged(place, "its header is not what was written");
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  if (view.getUint32(0, true) !== magics[kind]) throw damaged(place, `it is no ${kind}`);
  const version = view.getUint32(4, true);
  if (version > FORMAT_VERSION) throw tooNew(place, version, FORMAT_VERSION);
  const sequence = Number(view.getBigUint64(16, true));
  const metric = version === 1 ? view.getUint32(12, true) : view.getUint8(12);
  const reduction = version === 2 ? decodeReduction(view) : undefined;
  const isWhole = version === 1 || reduction !== undefined;
  if (version < 1 || metric > 1 || !isWhole || !Number.isSafeInteger(sequence)) {
    throw damaged(place, "its header is out of range");
  }
  const rounds = view.getUint32(56, true);
  return {
    kind,
    facts: {
      dimension: view.getUint32(8, true),
      metric: metric === 0 ? "cosine" : "l2",
      m: view.getUint32(92, true),
      efConstruction: view.getUint32(96, true),
      ...(reduction !== undefined && { reduction }),
    },
    indexId: bytes.slice(100, 100 + ID_BYTES),
    sequence,
    timeline: bytes.slice(24, 24 + ID_BYTES),
    fileId: bytes.slice(40, 40 + ID_BYTES),
    key:
      rounds === 0
        ? undefined
        : { rounds, salt: bytes.slice(60, 60 + SALT_BYTES), check: bytes.slice(76, 76 + CHECK_BYTES) },
  };
}

function encodeReduction(facts: ReductionFacts, view: DataView): void {
  view.setUint8(13, 1 + METHODS.indexOf(facts.method) + (facts.adaptive ? ADAPTIVE : 0));
  view.setUint16(14, facts.target, true);
  view.setFloat32(116, facts.minVariance, true);
  view.setUint32(120, facts.fitAfter, true);
}

/** Undefined for bytes that no facts make. */
function decodeReduction(view: DataView): ReductionFacts | undefined {
  const method = view.getUint8(13);
  const facts = {
    method: METHODS[(method & ~ADAPTIVE) - 1],
    adaptive: (method & ADAPTIVE) !== 0,
    target: view.getUint16(14, true),
    minVariance: view.getFloat32(116, true),
    fitAfter: view.getUint32(120, true),
  };
  return checkedReduction(facts, view.getUint32(8, true));
}

/** That a key is given just where one is needed. @throws VxError `encryption_key_invalid` */
export function checkEncrypted(place: string, encrypted: boolean, keyGiven: boolean): void {
  if (encrypted && !keyGiven) {
    throw new VxError("encryption_key_invalid", `${place} is encrypted: give its encryption key`);
  }
  if (!encrypted && keyGiven) {
    throw new VxError("encryption_key_invalid", `${place} is not encrypted: open it without a key`);
  }
}
