/** A peer that says it holds all of every file it shares, and gives wrong bytes, refusals or nothing of some chunks. */
import type { BlockSource } from "../../src/sharing/ports.ts";
import { untilAborted } from "../until-aborted.ts";
import type { Lots } from "./lots.ts";

const DECEITS = [
  { weight: 4, kind: "none" },
  { weight: 3, kind: "garbage" },
  { weight: 1, kind: "refusal" },
  { weight: 1, kind: "silence" },
] as const;

export function lying(source: BlockSource, lots: Lots): BlockSource {
  return {
    ...source,
    async readBlock(cid, signal, into) {
      const kind = lots.weighed(DECEITS)?.kind;
      if (kind === "refusal") return undefined;
      if (kind === "silence") await untilAborted(signal);
      const bytes = await source.readBlock(cid, signal, into);
      if (kind !== "garbage" || bytes === undefined) return bytes;
      const wrong = bytes.slice();
      wrong[0] = ~(wrong[0] ?? 0);
      return wrong;
    },
    async *haves(fileId, chunkCount, signal) {
      for await (const update of source.haves(fileId, chunkCount, signal)) {
        void update;
        yield { kind: "all" };
      }
    },
  };
}
