/**
 * All that search asks of its host. The two mains fill these in and hand them to openFileSearch; a host without a model, or
 * with search switched off, leaves `meaning` out, and files are found by name alone.
 */
import type { Clock, Log, Swarm, TrafficTotals } from "../sharing/ports.ts";
import type { SharingNode } from "../sharing/sharing-node.ts";
import type { Vx } from "../vx/vx.ts";
import type { TwoSpeedEmbedder } from "./embedding/embedder.ts";
import type { ServingThread } from "./serving-thread.ts";

export interface SearchPorts {
  node: Pick<SharingNode, "events" | "files" | "offers" | "read">;
  swarm: Pick<Swarm, "subscribe" | "describe">;
  clock: Clock;
  log: Log;
  meaning?: MeaningPorts;
}

export interface MeaningPorts {
  /**
   * Loads the model; called when there is a file to find.
   * @throws EmbeddingError `bad_model`, `unavailable`
   */
  openEmbedder(): Promise<TwoSpeedEmbedder>;
  /** Opens the index for vectors of the model, and deletes those that were made for others. @throws VxError as Vx.ready */
  openVectors(model: VectorsOf): Promise<Vx>;
  startTextThread(): ServingThread;
  traffic(): TrafficTotals;
  /** Tells the swarm what files here are about. */
  tellsExcerpts: boolean;
}

/** What vectors are made by. */
export interface VectorsOf {
  /** Of model, texts and passages, in letters that any medium takes as a folder's name. */
  folderName: string;
  dimension: number;
}
