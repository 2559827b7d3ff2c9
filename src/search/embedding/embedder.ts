/**
 * What turns texts into vectors, whichever model does it and wherever it runs. Made by openEmbedder of headless and of
 * browser; used by the index of files.
 */

export interface Embedder {
  /** Numbers in an embedding. */
  readonly dimension: number;
  /** Names model and version; stored with vectors, so that those of another model are made anew. */
  readonly modelId: string;
  /**
   * Unit-length embeddings, row-major [texts.length, dimension], in the texts' order. Of a long text the beginning counts.
   * `onWork` is told how long the model worked for a part of them, without waiting for its turn or its start.
   * @throws EmbeddingError `unavailable`, `closed`; the signal's reason
   */
  embed(
    texts: readonly string[],
    signal?: AbortSignal,
    onWork?: (tookMs: number) => void,
  ): Promise<Float32Array>;
}

/** One model for two kinds of callers. Itself it answers people who wait: their texts go before all others. */
export interface TwoSpeedEmbedder extends Embedder {
  /** The same model in the background: small batches with pauses between, after whatever people wait for. */
  readonly background: Embedder;
  /** Ends what runs; calls under way, in the background too, fail with `closed`. */
  close(): Promise<void>;
}
