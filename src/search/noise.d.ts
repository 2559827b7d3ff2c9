/**
 * How similar texts are to a model that have nothing in common: what is no nearer to a query is no hit. Each model has its
 * own, from 0.1 to 0.7, so it is measured once with texts of our own. Called by meaning; calls the embedder.
 */
import type { Embedder } from "./embedding/embedder.ts";
/** The similarity that a tenth of unrelated pairs reaches. */
export declare function noiseFloor(embedder: Embedder): Promise<number>;
