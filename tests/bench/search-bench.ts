/** An embedder at work, call by call, in whatever host. Driven by search-times; made by search.ts and by the page in Chromium. */
import type { TwoSpeedEmbedder } from "../../src/search/embedding/embedder.ts";

/** An embedder at work in some host, which is not closed between calls. */
export interface SearchBench {
  /** Returns the milliseconds of each call; texts go together, or each by itself. */
  embed(texts: string[], each: boolean): Promise<number[]>;
  close(): Promise<void>;
}

export function benchOf(opening: Promise<TwoSpeedEmbedder>): SearchBench {
  return {
    async embed(texts, each) {
      const embedder = await opening;
      const calls = each ? texts.map((text) => [text]) : [texts];
      const tookMs: number[] = [];
      for (const call of calls) {
        const startMs = performance.now();
        await embedder.embed(call);
        tookMs.push(performance.now() - startMs);
      }
      return tookMs;
    },
    close: async () => (await opening).close(),
  };
}
