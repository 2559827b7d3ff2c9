/**
 * What a backup archive says of itself: the entry `manifest.json`. Written by archive-writer, read by
 * archive-reader. An archive holds files of the index as they stand in its folder, cut into parts of ENTRY_BYTES:
 *
 *   manifest.json            this, as UTF-8 JSON
 *   manifest.seal            encrypted: 16 bytes, the AES-256-GCM tag of nothing beside the manifest, at position 0
 *                            under the key of the file whose id is the archive's
 *   snapshot/000000 ...      a full archive's snapshot (snapshot-contents)
 *   journal-N/000000 ...     segments of the journal (segments, frame)
 */
import type { Metric } from "../hnsw/graph.ts";
import { MAX_DIMENSION, MAX_EF, MAX_M, MIN_M } from "../hnsw/limits.ts";
import { type Cipher, fileCipher } from "./cipher.ts";
import { damaged, tooNew } from "./damage.ts";
import { type History, ID_BYTES } from "./file-header.ts";
import { fromHex, toHex } from "./hex.ts";
import { CHECK_BYTES, type IndexKey, SALT_BYTES } from "./key.ts";
import { ENTRY_BYTES, MODEL_ID_BYTES } from "./limits.ts";
import { checkedReduction } from "./reduction-facts.ts";
import { segmentGeneration } from "./segments.ts";
import { SNAPSHOT } from "./snapshot-writer.ts";

export const MANIFEST = "manifest.json";
export const SEAL = "manifest.seal";
/** 1 is written where vectors are not reduced: programs that know nothing of it restore these. */
const ARCHIVE_VERSION = 2;

export interface Manifest {
  id: Uint8Array<ArrayBuffer>;
  createdAt: Date;
  history: History;
  /** Id of the model that vectors are reduced by, which an incremental one has from its base; undefined without one. */
  model: Uint8Array | undefined;
  /** The archive that this one goes on from; undefined for a full one. */
  base: { id: Uint8Array<ArrayBuffer>; name: string } | undefined;
  /** Number of the last operation in the base; 0 for a full one. */
  after: number;
  /** Number of the last operation in this one. */
  last: number;
  files: ArchivedFileFacts[];
}

export interface ArchivedFileFacts {
  name: string;
  sizeBytes: number;
  /** SHA-256 of each part. */
  digests: Uint8Array<ArrayBuffer>[];
}

/** Name of a file's part in the archive. */
export function partName(file: string, index: number): string {
  return `${file}/${String(index).padStart(6, "0")}`;
}

/** Parts that a file is cut into. */
export function partCount(sizeBytes: number): number {
  return Math.ceil(sizeBytes / ENTRY_BYTES);
}

/** Seals nothing at position 0 beside the manifest: proof that it is by someone who had the key. */
export function manifestCipher(key: IndexKey, archiveId: Uint8Array<ArrayBuffer>): Promise<Cipher> {
  return fileCipher(key, archiveId, archiveId);
}

export function encodeManifest(manifest: Manifest): Uint8Array<ArrayBuffer> {
  const { history, base } = manifest;
  const json = {
    format: history.facts.reduction === undefined ? 1 : 2,
    id: toHex(manifest.id),
    created_at: manifest.createdAt.toISOString(),
    kind: base === undefined ? "full" : "incremental",
    base: base === undefined ? null : { id: toHex(base.id), name: base.name },
    index_id: toHex(history.indexId),
    timeline: toHex(history.timeline),
    ...history.facts,
    ...(history.facts.reduction !== undefined && { model: manifest.model ? toHex(manifest.model) : null }),
    encryption: history.key
      ? { rounds: history.key.rounds, salt: toHex(history.key.salt), check: toHex(history.key.check) }
      : null,
    after_operation: manifest.after,
    last_operation: manifest.last,
    files: manifest.files.map(({ name, sizeBytes, digests }) => ({
      name,
      size_bytes: sizeBytes,
      part_sha256: digests.map(toHex),
    })),
  };
  return new TextEncoder().encode(`${JSON.stringify(json, null, 1)}\n`);
}

/** @throws VxError for damage, a newer version */
export function decodeManifest(bytes: Uint8Array, archive: string): Manifest {
  const wrong = (what: string) => damaged(archive, `its manifest is wrong: ${what}`);
  const json = parseObject(bytes);
  if (json === undefined) throw wrong("it is no JSON object");
  const format = integer(json.format, 1, Number.MAX_SAFE_INTEGER);
  if (format === undefined) throw wrong("format");
  if (format > ARCHIVE_VERSION) throw tooNew(archive, format, ARCHIVE_VERSION);
  const need = <T>(value: T | undefined, name: string): T => {
    if (value === undefined) throw wrong(name);
    return value;
  };
  const createdAt = new Date(String(json.created_at));
  if (Number.isNaN(createdAt.getTime())) throw wrong("created_at");
  const files = need(decodeFiles(json.files), "files");
  const base = json.base === null ? undefined : need(decodeBase(json.base), "base");
  const after = need(integer(json.after_operation, 0, Number.MAX_SAFE_INTEGER - 1), "after_operation");
  if ((base === undefined) !== files.some(({ name }) => name === SNAPSHOT)) throw wrong("base");
  const dimension = need(integer(json.dimension, 1, MAX_DIMENSION), "dimension");
  return {
    id: need(fromHex(json.id, ID_BYTES), "id"),
    createdAt,
    model:
      format === 1 || json.model === null ? undefined : need(fromHex(json.model, MODEL_ID_BYTES), "model"),
    base,
    history: {
      indexId: need(fromHex(json.index_id, ID_BYTES), "index_id"),
      timeline: need(fromHex(json.timeline, ID_BYTES), "timeline"),
      key: json.encryption === null ? undefined : need(decodeKey(json.encryption), "encryption"),
      facts: {
        dimension,
        metric: need(isMetric(json.metric) ? json.metric : undefined, "metric"),
        m: need(integer(json.m, MIN_M, MAX_M), "m"),
        efConstruction: need(integer(json.efConstruction, 1, MAX_EF), "efConstruction"),
        ...(format >= 2 && { reduction: need(checkedReduction(json.reduction, dimension), "reduction") }),
      },
    },
    after,
    last: need(integer(json.last_operation, after, Number.MAX_SAFE_INTEGER - 1), "last_operation"),
    files,
  };
}

function decodeFiles(value: unknown): ArchivedFileFacts[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const files = new Map<string, ArchivedFileFacts>();
  for (const file of value as unknown[]) {
    if (!isObject(file)) return undefined;
    const { name, size_bytes: size, part_sha256: hexes } = file;
    const known = typeof name === "string" && (name === SNAPSHOT || segmentGeneration(name) !== undefined);
    const sizeBytes = integer(size, 1, Number.MAX_SAFE_INTEGER);
    if (!known || sizeBytes === undefined || files.has(name)) return undefined;
    if (!Array.isArray(hexes) || hexes.length !== partCount(sizeBytes)) return undefined;
    const digests = hexes.map((hex) => fromHex(hex, 32)).filter((digest) => digest !== undefined);
    if (digests.length !== hexes.length) return undefined;
    files.set(name, { name, sizeBytes, digests });
  }
  return [...files.values()];
}

function decodeBase(value: unknown): Manifest["base"] {
  if (!isObject(value)) return undefined;
  const id = fromHex(value.id, ID_BYTES);
  const isName = typeof value.name === "string" && /^[^/\\\0]{1,255}$/.test(value.name);
  return id !== undefined && isName ? { id, name: value.name as string } : undefined;
}

function decodeKey(value: unknown): History["key"] {
  if (!isObject(value)) return undefined;
  const rounds = integer(value.rounds, 1, 0xffffffff);
  const salt = fromHex(value.salt, SALT_BYTES);
  const check = fromHex(value.check, CHECK_BYTES);
  return rounds === undefined || !salt || !check ? undefined : { rounds, salt, check };
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isMetric(value: unknown): value is Metric {
  return value === "cosine" || value === "l2";
}

function integer(value: unknown, least: number, most: number): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
    ? (value as number)
    : undefined;
}
