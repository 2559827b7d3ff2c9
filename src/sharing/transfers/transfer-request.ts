/** A download as it is asked for, and the record that is made of it. Called by transfers. */
import type { Strategy } from "../download/picker.ts";
import { DEFAULT_MAX_PEERS } from "../limits.ts";
import type { OutputWish } from "./transfer-outputs.ts";
import type { TransferRecord } from "./transfer-record.ts";

export interface TransferRequest extends OutputWish {
  fileId: string;
  /** What the file is called where nobody announces a name. */
  name?: string;
  /** false: from one peer at a time. */
  multiPeer?: boolean;
  maxPeers?: number;
  strategy?: Strategy;
  /** What stands at `outputPath` since a transfer has brought this file there will do: that transfer is given. */
  keepBrought?: boolean;
  /** Nobody is told of the file, nor is it looked for where strangers would learn its id. */
  isUnlisted?: boolean;
  /** What the list of its folder says that the file has: one of another length is not brought. */
  saidBytes?: number;
}

/** What is known of it beside what was asked. */
interface Known extends Pick<TransferRecord, "fileId" | "name" | "startedAtMs"> {
  /** As finally resolved. */
  outputPath: string | undefined;
  isRepair: boolean;
}

export function recordOf(request: Omit<TransferRequest, "fileId">, known: Known): TransferRecord {
  const { fileId, name, startedAtMs, outputPath, isRepair } = known;
  const { partOf, saidBytes } = request;
  // One by one: V8 gives an object that begins with a spread a hidden class of its own.
  return {
    id: crypto.randomUUID(),
    fileId,
    name,
    ...(outputPath !== undefined && { outputPath }),
    overwrite: request.overwrite ?? false,
    maxPeers: request.multiPeer === false ? 1 : (request.maxPeers ?? DEFAULT_MAX_PEERS),
    strategy: request.strategy ?? "rarest_first",
    status: "started",
    isPaused: false,
    ...(isRepair && { isRepair }),
    ...(request.isUnlisted && { isUnlisted: true }),
    ...(partOf !== undefined && { partOf }),
    ...(saidBytes !== undefined && { saidBytes }),
    progress: 0,
    chunksByPeer: [],
    startedAtMs,
  };
}

/** Does the transfer bring what is asked for? The list of another folder may say another length, with which it fails. */
export function allowsLength(
  { saidBytes }: TransferRecord,
  request: Pick<TransferRequest, "saidBytes">,
): boolean {
  return saidBytes === undefined || request.saidBytes === undefined || saidBytes === request.saidBytes;
}
