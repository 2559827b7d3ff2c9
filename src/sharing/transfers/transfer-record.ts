/**
 * A transfer as it is kept and as it is shown. Records outlive the process; a detail adds what only a running
 * transfer knows.
 */
import type { Strategy } from "../download/picker.ts";

export type TransferStatus =
  | "started"
  | "in_progress"
  | "resumed"
  | "completed"
  | "failed"
  | "cancelled"
  | "interrupted";

/** Statuses of transfers that are not over. */
export const ACTIVE_STATUSES = ["started", "in_progress", "resumed", "interrupted"] as const;

export interface TransferRecord {
  id: string;
  fileId: string;
  name: string;
  outputPath?: string;
  overwrite: boolean;
  maxPeers: number;
  strategy: Strategy;
  status: TransferStatus;
  /** Interrupted by the user: goes on only when resumed. */
  isPaused: boolean;
  /** Nobody asked for it: it fetches what was lost of a file that was complete here. */
  isRepair?: true;
  /** Nobody is to be told of the file. */
  isUnlisted?: true;
  /** Id of the list of a folder with which it was asked for: it waits for its turn among the others. */
  partOf?: string;
  /** What that list says that the file has. */
  saidBytes?: number;
  /** A provider of it, as of a file of a folder, was here; kept with whatever else is kept of it. */
  hasMet?: true;
  /** Verified share of the file, 0..1, when the record was written. */
  progress: number;
  sizeBytes?: number;
  /** Chunks that each peer brought. */
  chunksByPeer: [peerId: string, chunks: number][];
  startedAtMs: number;
  /**
   * Its place in the order of all transfers' starts, which times don't tell: two may start in one millisecond, and a
   * clock may be set back. None in records of builds that kept none.
   */
  ordinal?: number;
  endedAtMs?: number;
  error?: string;
  /** It failed since the store had no room. */
  isStorageFull?: true;
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
  /** Interrupted by the user: goes on only when resumed. */
  isPaused: boolean;
  /** It runs, and other files come first: of its peers, of its folder, or of all that were asked for. */
  isWaiting: boolean;
  /** Nobody asked for it: it fetches what was lost of a file that was complete here. */
  isRepair: boolean;
  /** Verified share of the file, 0..1. */
  progress: number;
  /** Undefined until the manifest is known. */
  sizeBytes: number | undefined;
  bytesPerSecond: number;
  /** Those that brought chunks, and those in use now. */
  peers: TransferPeer[];
  /** In use now; once it does not run, all that brought chunks. */
  peerCount: number;
  startedAt: Date;
  endedAt: Date | undefined;
  estimatedCompletion: Date | undefined;
  /** Why it failed or was interrupted. */
  error: string | undefined;
  /** It failed since the store had no room. */
  isStorageFull: boolean;
}

/** It is being brought, or waits for its turn. */
export function isRunning(status: TransferStatus): boolean {
  return isActive(status) && status !== "interrupted";
}

export function isActive(status: TransferStatus): boolean {
  return (ACTIVE_STATUSES as readonly TransferStatus[]).includes(status);
}

/** What a running transfer knows beyond its record. */
export interface LiveFigures {
  bytesPerSecond: number;
  speeds: Map<string, number>;
  isWaiting: boolean;
}

export function detailOf(
  record: TransferRecord,
  live: LiveFigures | undefined,
  nowMs: number,
): TransferDetail {
  const bytesPerSecond = live?.bytesPerSecond ?? 0;
  const leftBytes = (record.sizeBytes ?? 0) * (1 - record.progress);
  // Before its first chunk only what names the chunks has come, which tells no speed.
  const isEstimated = record.sizeBytes !== undefined && record.progress > 0 && bytesPerSecond > 0;
  const peerIds = new Set([...record.chunksByPeer.map(([peerId]) => peerId), ...(live?.speeds.keys() ?? [])]);
  const chunks = new Map(record.chunksByPeer);
  return {
    id: record.id,
    fileId: record.fileId,
    name: record.name,
    outputPath: record.outputPath,
    status: record.status,
    isRepair: record.isRepair === true,
    isWaiting: live?.isWaiting ?? false,
    isPaused: record.isPaused && record.status === "interrupted",
    progress: record.progress,
    sizeBytes: record.sizeBytes,
    bytesPerSecond,
    peers: [...peerIds].map((peerId) => ({
      peerId,
      chunksDownloaded: chunks.get(peerId) ?? 0,
      bytesPerSecond: live?.speeds.get(peerId) ?? 0,
    })),
    peerCount: live?.speeds.size ?? chunks.size,
    startedAt: new Date(record.startedAtMs),
    endedAt: record.endedAtMs === undefined ? undefined : new Date(record.endedAtMs),
    estimatedCompletion: isEstimated ? new Date(nowMs + (leftBytes / bytesPerSecond) * 1000) : undefined,
    error: record.error,
    isStorageFull: record.status === "failed" && record.isStorageFull === true,
  };
}
