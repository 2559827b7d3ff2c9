/**
 * A text model in ONNX, with its tokenizer. Opened by built-in and model-folder; calls runtime, rows and pooling. What the
 * model asks for and gives is found by its names and by one run: an embedding for each row (`sentence_embedding`), or
 * vectors for each place, which are pooled.
 */
import { type InferenceSession, Tensor } from "onnxruntime-web/wasm";
import { EmbeddingError } from "../errors.ts";
import { MAX_DIMENSION } from "../limits.ts";
import type { Tokenizer } from "../tokens/tokenizer.ts";
import { type Pooling, pool } from "./pooling.ts";
import { type Row, TextEmbeddings, toRows, toRuns } from "./rows.ts";
import { openSession } from "./runtime.ts";
import type { TextModel } from "./text-model.ts";

/** Inputs that we can give; each is [rows, length]. */
const INPUTS = ["input_ids", "attention_mask", "token_type_ids", "position_ids"] as const;
/** Outputs that can be used, the best first; a model with none of them has its first used. */
const OUTPUTS = ["sentence_embedding", "last_hidden_state", "token_embeddings"];

export class OnnxModel implements TextModel {
  readonly modelId: string;
  readonly #session: InferenceSession;
  readonly #tokenizer: Tokenizer;
  readonly #pooling: Pooling;
  readonly #output: string;
  #dimension = 0;

  private constructor(
    modelId: string,
    session: InferenceSession,
    tokenizer: Tokenizer,
    pooling: Pooling,
    output: string,
  ) {
    this.modelId = modelId;
    this.#session = session;
    this.#tokenizer = tokenizer;
    this.#pooling = pooling;
    this.#output = output;
  }

  /** @throws EmbeddingError `bad_model` */
  static async open(
    modelId: string,
    bytes: Uint8Array,
    tokenizer: Tokenizer,
    pooling: Pooling,
  ): Promise<OnnxModel> {
    const session = await openSession(bytes);
    const strange = session.inputNames.filter((name) => !(INPUTS as readonly string[]).includes(name));
    if (strange.length > 0 || !session.inputNames.includes("input_ids")) {
      const names = session.inputNames.join(", ");
      throw new EmbeddingError(
        "bad_model",
        `The ONNX model asks for ${names}; a text model asks for input_ids and maybe attention_mask, token_type_ids, position_ids`,
      );
    }
    const output =
      OUTPUTS.find((name) => session.outputNames.includes(name)) ?? (session.outputNames[0] as string);
    const model = new OnnxModel(modelId, session, tokenizer, pooling, output);
    await model.#probe();
    return model;
  }

  get dimension(): number {
    return this.#dimension;
  }

  async embed(texts: readonly string[]): Promise<Float32Array> {
    const embeddings = new TextEmbeddings(texts.length, this.#dimension);
    for (const run of toRuns(toRows(this.#tokenizer, texts))) {
      const { data, dims } = await this.#run(run);
      const rowValues = data.length / run.length;
      run.forEach((row, at) => {
        const values = data.subarray(at * rowValues, (at + 1) * rowValues);
        const isPooled = dims.length === 2;
        embeddings.add(row, isPooled ? values : pool(values, this.#dimension, row.ids.length, this.#pooling));
      });
    }
    return embeddings.finish();
  }

  /** Finds the dimension, and whether the model works at all. */
  async #probe(): Promise<void> {
    const { data, dims } = await this.#run(toRows(this.#tokenizer, ["probe"]));
    const dimension = dims.at(-1) ?? 0;
    if (!data.every(Number.isFinite))
      throw new EmbeddingError("bad_model", "The ONNX model gives no numbers");
    if (dims.length < 2 || dims.length > 3 || dimension < 1 || dimension > MAX_DIMENSION) {
      throw new EmbeddingError(
        "bad_model",
        `The ONNX model's ${this.#output} is ${dims.join(" x ")}; an embedding has 1 to ${MAX_DIMENSION} numbers for each text or for each of its places`,
      );
    }
    this.#dimension = dimension;
  }

  async #run(rows: readonly Row[]): Promise<{ data: Float32Array; dims: readonly number[] }> {
    const length = Math.max(...rows.map(({ ids }) => ids.length));
    const inputs: Record<string, Tensor> = {};
    for (const [at, name] of this.#session.inputNames.entries()) {
      const metadata = this.#session.inputMetadata[at];
      const type = metadata?.isTensor && metadata.type === "int32" ? "int32" : "int64";
      inputs[name] = this.#input(name as (typeof INPUTS)[number], type, rows, length);
    }
    let result: Tensor | undefined;
    try {
      result = (await this.#session.run(inputs, [this.#output]))[this.#output] as Tensor;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new EmbeddingError("bad_model", `The ONNX model fails: ${why}`, { cause: error });
    } finally {
      for (const tensor of Object.values(inputs)) tensor.dispose();
    }
    if (!(result.data instanceof Float32Array)) {
      throw new EmbeddingError("bad_model", `The ONNX model gives ${result.type}, not float32`);
    }
    return { data: result.data, dims: result.dims };
  }

  #input(
    name: (typeof INPUTS)[number],
    type: "int32" | "int64",
    rows: readonly Row[],
    length: number,
  ): Tensor {
    const values = new Int32Array(rows.length * length);
    const { padding } = this.#tokenizer;
    if (name === "input_ids") values.fill(padding);
    for (const [row, { ids }] of rows.entries()) {
      for (const [place, id] of ids.entries()) {
        const at = row * length + place;
        if (name === "input_ids") values[at] = id;
        else if (name === "attention_mask") values[at] = 1;
        else if (name === "position_ids") values[at] = place;
      }
    }
    const dims = [rows.length, length];
    if (type === "int32") return new Tensor("int32", values, dims);
    return new Tensor("int64", BigInt64Array.from(values, BigInt), dims);
  }
}
