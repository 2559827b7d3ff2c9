export type TransferStatus =
  | "started"
  | "in_progress"
  | "resumed"
  | "completed"
  | "failed"
  | "cancelled"
  | "interrupted";
export const ACTIVE_STATUSES = [
  "started",
  "in_progress",
  "resumed",
  "interrupted",
] as const satisfies readonly TransferStatus[];
export type Strategy = "rarest_first" | "sequential" | "round_robin";

export interface TransferRequest {
  fileId: string;
  /** Where the bytes are copied to; none: they stay in the chunk store. */
  outputPath?: string;
  multiPeer?: boolean;
  maxPeers?: number;
  strategy?: Strategy;
  overwrite?: boolean;
}

export interface TransferPeer {
  peerId: string;
  chunksDownloaded: number;
  bytesPerSecond: number;
}

export interface TransferDetail {
  id: string;
  fileId: string;
  name: string;
  outputPath: string | undefined;
  status: TransferStatus;
  /** Verified share of the file, 0..1. */
  progress: number;
  /** Undefined until the manifest is known. */
  sizeBytes: number | undefined;
  bytesPerSecond: number;
  peers: TransferPeer[];
  startedAt: Date;
  endedAt: Date | undefined;
  estimatedCompletion: Date | undefined;
  /** Why it failed or was interrupted. */
  error: string | undefined;
}

/** Chunk by chunk: 0 missing, 1 asked for, 2 held; and whose it is by index into `peers` (255: here before). */
export interface PieceMap {
  chunkCount: number;
  states: Uint8Array;
  sources: Uint8Array;
  peers: string[];
}
