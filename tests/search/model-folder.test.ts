/** Models of a user's own, by the files in their folders: src/search/embedding/model/model-folder. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { fsModelFolder } from "../../src/headless/search/fs-model-folder.ts";
import { MAX_TEXT_CHARS } from "../../src/search/embedding/limits.ts";
import { type ModelFolder, openModelFolder } from "../../src/search/embedding/model/model-folder.ts";
import { provideRuntime } from "../../src/search/embedding/model/runtime.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import {
  bpeTokenizer,
  folderOf,
  placesModel,
  sentenceModel,
  unigramTokenizer,
  wordPieceTokenizer,
} from "./small-models.ts";

beforeAll(async () => {
  provideRuntime(await readFile(new URL("../../src/search/model/build/runtime.wasm", import.meta.url)));
});

const places = { "model.onnx": placesModel(), "tokenizer.json": wordPieceTokenizer };

async function embed(folder: ModelFolder, ...texts: string[]): Promise<number[][]> {
  const model = await openModelFolder(folder);
  const all = await model.embed(texts);
  return texts.map((_, row) =>
    Array.from(all.subarray(row * model.dimension, (row + 1) * model.dimension), (value) =>
      Number(value.toFixed(4)),
    ),
  );
}

function unit(...values: number[]): number[] {
  const length = Math.hypot(...values);
  return values.map((value) => Number((value / length).toFixed(4)));
}

describe("a model of one's own", () => {
  it("is found beside its tokenizer or in onnx/, and named by folder and content", async () => {
    const beside = await openModelFolder(folderOf(places));
    const beneath = await openModelFolder(
      folderOf({ "onnx/model.onnx": placesModel(), "tokenizer.json": wordPieceTokenizer }),
    );
    expect(beside.dimension).toBe(3);
    expect(beside.modelId).toMatch(/^small-[0-9a-f]{12}-[0-9a-f]{12}$/);
    expect(beneath.modelId).toBe(beside.modelId);
    const other = await openModelFolder(folderOf({ ...places, "model.onnx": sentenceModel() }));
    expect(other.modelId).not.toBe(beside.modelId);
  });

  it("has its places' mean, between start and end, whatever else is in the batch", async () => {
    const folder = folderOf(places);
    const red = unit(9 + 1, 9, 0);
    expect(await embed(folder, "red", "Greenish RED")).toEqual([red, unit(9 + 1, 9 + 1, 1)]);
    expect(await embed(folder, "red")).toEqual([red]);
  });

  it("is pooled as its folder says", async () => {
    const pooled = (mode: string) => folderOf({ ...places, "1_Pooling/config.json": { [mode]: true } });
    expect(await embed(pooled("pooling_mode_cls_token"), "green")).toEqual([[1, 0, 0]]);
    expect(await embed(pooled("pooling_mode_max_tokens"), "greenish")).toEqual([unit(9, 9, 1)]);
    expect(await embed(pooled("pooling_mode_mean_tokens"), "green")).toEqual([unit(9, 10, 0)]);
  });

  it("may give one embedding a text itself", async () => {
    const folder = folderOf({ ...places, "model.onnx": sentenceModel() });
    expect(await embed(folder, "red green")).toEqual([unit(10, 10, 0)]);
  });

  it("may have a tokenizer of unigrams or of byte pairs", async () => {
    const unigram = folderOf({ ...places, "tokenizer.json": unigramTokenizer });
    expect(await embed(unigram, "greenish red")).toEqual([unit(1, 1, 1)]);
    const bpe = folderOf({ ...places, "tokenizer.json": bpeTokenizer });
    expect(await embed(bpe, "red")).toEqual([[1, 0, 0]]);
  });

  it("is given the inputs that it asks for", async () => {
    const all = ["input_ids", "attention_mask", "token_type_ids", "position_ids"];
    expect(await embed(folderOf({ ...places, "model.onnx": placesModel(all) }), "red")).toEqual([
      unit(10, 9, 0),
    ]);
  });

  it("reads a text by windows as long as its folder says, as far as the text is looked at", async () => {
    const short = folderOf({ ...places, "tokenizer_config.json": { model_max_length: 10 } });
    const reds = "red ".repeat(8);
    // A window of eight words between start and end, and half a one.
    const [whole] = await embed(short, `${reds}${reds}`);
    expect(whole).toEqual(unit(9 + 8, 9, 0));
    const [long, longer] = await embed(
      short,
      "red ".repeat(MAX_TEXT_CHARS / 4),
      "red ".repeat(MAX_TEXT_CHARS),
    );
    expect(longer).toEqual(long);
  });

  it("takes hostile text", async () => {
    for (const tokenizer of [wordPieceTokenizer, unigramTokenizer, bpeTokenizer]) {
      const folder = folderOf({ ...places, "tokenizer.json": tokenizer });
      const texts = ["", "\ud800", "\0", "r".repeat(1e6), "\ufdfa".repeat(1e5), "e\u0301".repeat(1e5)];
      for (const embedding of await embed(folder, ...texts))
        expect(Math.hypot(...embedding)).toBeCloseTo(1, 2);
    }
  });

  it("is named in refusals by its last name, without the folders above", async () => {
    const root = await temporaryFolder();
    await mkdir(join(root, "mine", "tokenizer.json"), { recursive: true });
    await writeFile(join(root, "mine", "model.onnx"), "long");
    const { read } = fsModelFolder(join(root, "mine"));
    await expect(read("model.onnx", 3)).rejects.toMatchObject({
      name: "bad_model",
      message: "mine: model.onnx has more than 3 bytes",
    });
    await expect(read("tokenizer.json", 1e6)).rejects.toMatchObject({
      name: "bad_model",
      message: "mine: tokenizer.json can't be read (EISDIR)",
    });
  });

  it("is refused with the reason where a file is missing or can't be used", async () => {
    const refusals: [Record<string, Uint8Array | object>, RegExp][] = [
      [{}, /small has no tokenizer\.json/],
      [{ "tokenizer.json": wordPieceTokenizer }, /small has no model\.onnx/],
      [{ ...places, "tokenizer.json": new TextEncoder().encode("{") }, /tokenizer\.json can't be read/],
      [{ ...places, "tokenizer.json": Uint8Array.of(0xff) }, /tokenizer\.json can't be read/],
      [{ ...places, "tokenizer.json": [] }, /tokenizer\.json can't be read: it is no object/],
      [{ ...places, "tokenizer.json": { model: { type: "Odd" } } }, /tokenizer\.json can't be used/],
      [{ ...places, "model.onnx": new Uint8Array(100) }, /ONNX model can't be loaded/],
      [{ ...places, "model.onnx": placesModel().slice(0, 60) }, /ONNX model can't be loaded/],
      [
        { ...places, "model.onnx": placesModel(["input_ids", "pixel_values"]) },
        /asks for input_ids, pixel_values/,
      ],
    ];
    for (const [files, message] of refusals) {
      await expect(openModelFolder(folderOf(files))).rejects.toMatchObject({
        name: "bad_model",
        message: expect.stringMatching(message),
      });
    }
  });
});
