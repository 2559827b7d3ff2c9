/**
 * A model of one's own: a folder as Hugging Face has them, `model.onnx` (there or in `onnx/`, whole or quantized) and
 * `tokenizer.json`. Called by the threads' entries; calls hugging-face and onnx-model. Beside them, if there:
 * tokenizer_config.json, config.json and sentence_bert_config.json (longest row) and 1_Pooling/config.json (mean, first
 * place or largest). All weights must lie in the one file.
 */
import { toHex } from "../../../vx/storage/hex.ts";
import { EmbeddingError } from "../errors.ts";
import { MAX_MODEL_BYTES, MAX_MODEL_TEXT_BYTES, MAX_ROW_PLACES } from "../limits.ts";
import { openHuggingFaceTokenizer } from "../tokens/hugging-face.ts";
import { OnnxModel } from "./onnx-model.ts";
import type { Pooling } from "./pooling.ts";
import type { TextModel } from "./text-model.ts";

/** Reads files of the model's folder. */
export interface ModelFolder {
  /** What the user calls it, for errors and the model's id. */
  readonly name: string;
  /** The file's bytes, or undefined if there is none. Fails for a file of more than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
}

/** Where a model may lie, the first found counts: one beside the tokenizer was put there on purpose. */
const MODEL_PATHS = ["model.onnx", "onnx/model_quantized.onnx", "onnx/model_int8.onnx", "onnx/model.onnx"];
/** Fewer places than this are no text. */
const MIN_PLACES = 8;
const ID_HEX_DIGITS = 12;

/** @throws EmbeddingError `bad_model` */
export async function openModelFolder(folder: ModelFolder): Promise<TextModel> {
  const tokenizerJson = await readJson(folder, "tokenizer.json");
  if (tokenizerJson === undefined) throw missing(folder, "tokenizer.json");
  const model = await readFirst(folder, MODEL_PATHS);
  if (model === undefined) throw missing(folder, "model.onnx");

  const settings = (await readJson(folder, "tokenizer_config.json")) ?? {};
  const tokenizer = openHuggingFaceTokenizer(tokenizerJson, settings, await maxPlaces(folder, settings));
  const id = await modelId(folder.name, model, tokenizerJson);
  return OnnxModel.open(id, model, tokenizer, await pooling(folder));
}

/** The least of what the folder's files say, and of what we take. */
async function maxPlaces(folder: ModelFolder, settings: Json): Promise<number> {
  const config = (await readJson(folder, "config.json")) ?? {};
  const sentences = (await readJson(folder, "sentence_bert_config.json")) ?? {};
  const said = [settings.model_max_length, config.max_position_embeddings, sentences.max_seq_length];
  const numbers = said.filter((value) => typeof value === "number" && value >= MIN_PLACES) as number[];
  return Math.floor(Math.min(MAX_ROW_PLACES, ...numbers));
}

async function pooling(folder: ModelFolder): Promise<Pooling> {
  const said = await readJson(folder, "1_Pooling/config.json");
  if (said?.pooling_mode_cls_token === true) return "first";
  return said?.pooling_mode_max_tokens === true ? "max" : "mean";
}

/** Equal files have equal ids, whatever folder they lie in. */
async function modelId(name: string, model: Uint8Array, tokenizerJson: Json): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(tokenizerJson));
  const hashes = await Promise.all(
    [model, text].map((bytes) => crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)),
  );
  const hex = hashes.map((hash) => toHex(new Uint8Array(hash)).slice(0, ID_HEX_DIGITS));
  return `${name}-${hex.join("-")}`;
}

async function readFirst(folder: ModelFolder, paths: readonly string[]): Promise<Uint8Array | undefined> {
  for (const path of paths) {
    const bytes = await folder.read(path, MAX_MODEL_BYTES);
    if (bytes !== undefined) return bytes;
  }
  return undefined;
}

type Json = Record<string, unknown>;

async function readJson(folder: ModelFolder, path: string): Promise<Json | undefined> {
  const bytes = await folder.read(path, MAX_MODEL_TEXT_BYTES);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new Error("it is no object");
    return value as Json;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new EmbeddingError("bad_model", `${folder.name}: ${path} can't be read: ${why}`, { cause: error });
  }
}

function missing(folder: ModelFolder, path: string): EmbeddingError {
  return new EmbeddingError(
    "bad_model",
    `${folder.name} has no ${path}; a model's folder holds model.onnx and tokenizer.json`,
  );
}
