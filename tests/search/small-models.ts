/** Small text models in the form that Hugging Face's have, for tests: a folder in memory, with a model of few numbers. */
import type { ModelFolder } from "../../src/search/embedding/model/model-folder.ts";
import { OnnxGraph } from "../../src/search/model/onnx-writer.mjs";

/** Vectors of the words, by id; the first four ids are padding, unknown, start and end. */
const VECTORS = [
  [0, 0, 0],
  [1, 1, 1],
  [9, 0, 0],
  [0, 9, 0],
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
const DIMENSION = 3;
const WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "red", "green", "##ish"];

/** A vector for each place, as encoders give them. */
export function placesModel(inputs = ["input_ids", "attention_mask"]): Uint8Array {
  const graph = new OnnxGraph();
  for (const name of inputs) graph.input(name, "int64", ["batch", "length"]);
  const table = graph.constant(Float32Array.from(VECTORS.flat()), [VECTORS.length, DIMENSION]);
  graph.result("last_hidden_state", "Gather", [table, "input_ids"]);
  graph.output("last_hidden_state", "float", ["batch", "length", DIMENSION]);
  return graph.toBytes("test");
}

/** One vector a row: the sum of its places'. */
export function sentenceModel(): Uint8Array {
  const graph = new OnnxGraph();
  graph.input("input_ids", "int64", ["batch", "length"]);
  const table = graph.constant(Float32Array.from(VECTORS.flat()), [VECTORS.length, DIMENSION]);
  const places = graph.node("Gather", [table, "input_ids"]);
  const axis = graph.ints(1);
  const sum = graph.node("ReduceSum", [places, axis], { keepdims: 0 });
  graph.result("sentence_embedding", "Identity", [sum]);
  graph.output("sentence_embedding", "float", ["batch", DIMENSION]);
  return graph.toBytes("test");
}

export const wordPieceTokenizer = {
  version: "1.0",
  truncation: null,
  padding: null,
  added_tokens: ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].map((content, id) => ({
    ...{ id, content, special: true },
    ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
  })),
  normalizer: {
    type: "BertNormalizer",
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: "BertPreTokenizer" },
  post_processor: {
    type: "TemplateProcessing",
    single: [
      { SpecialToken: { id: "[CLS]", type_id: 0 } },
      { Sequence: { id: "A", type_id: 0 } },
      { SpecialToken: { id: "[SEP]", type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] },
      "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] },
    },
  },
  decoder: { type: "WordPiece", prefix: "##", cleanup: true },
  model: {
    type: "WordPiece",
    unk_token: "[UNK]",
    continuing_subword_prefix: "##",
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
  },
};

export const unigramTokenizer = {
  version: "1.0",
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: true },
  post_processor: null,
  decoder: { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: true },
  model: {
    type: "Unigram",
    unk_id: 1,
    vocab: [
      ["<pad>", 0],
      ["<unk>", 0],
      ["<s>", 0],
      ["</s>", 0],
      ["▁red", -1],
      ["▁green", -1],
      ["ish", -2],
    ],
  },
};

export const bpeTokenizer = {
  version: "1.0",
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: "Whitespace" },
  post_processor: null,
  decoder: null,
  model: {
    type: "BPE",
    unk_token: "?",
    fuse_unk: true,
    vocab: { _: 0, "?": 1, r: 2, e: 3, red: 4, d: 5, re: 6 },
    merges: ["r e", "re d"],
  },
};

/** `files`: bytes, or an object that is written as JSON, by path. */
export function folderOf(files: Record<string, Uint8Array | object>): ModelFolder {
  return {
    name: "small",
    async read(path, maxBytes) {
      const content = files[path];
      if (content === undefined) return undefined;
      const bytes =
        content instanceof Uint8Array ? content : new TextEncoder().encode(JSON.stringify(content));
      if (bytes.byteLength > maxBytes) throw new Error("too long");
      return bytes;
    },
  };
}
