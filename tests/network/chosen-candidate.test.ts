/** Where the other end of a WebRTC connection is, as engines tell it: src/network/connecting/chosen-candidate. */
import type { Connection } from "@libp2p/interface";
import { describe, expect, it } from "vitest";
import { chosenCandidate, measuredCandidate } from "../../src/network/connecting/chosen-candidate.ts";

const REMOTE = { id: "r1", type: "remote-candidate", address: "192.0.2.7", port: 4001 };
const OTHER = { id: "r2", type: "remote-candidate", address: "192.0.2.8", port: 4002 };
const PAIRS = [
  { id: "p2", type: "candidate-pair", remoteCandidateId: "r2" },
  { id: "p1", type: "candidate-pair", remoteCandidateId: "r1" },
];

/** A connection whose engine has these statistics, and nothing that tells at once. */
function measuring(entries: { id: string }[]): Connection {
  const getStats = async () => new Map(entries.map((entry) => [entry.id, entry]));
  return { maConn: { peerConnection: { sctp: null, getStats } } } as unknown as Connection;
}

describe("the chosen candidate in the statistics", () => {
  it("is that of the pair which the transport names", async () => {
    const transport = { id: "t", type: "transport", selectedCandidatePairId: "p1" };
    const connection = measuring([...PAIRS, transport, OTHER, REMOTE]);
    expect(chosenCandidate(connection)).toBeUndefined();
    expect(await measuredCandidate(connection)).toBe("192.0.2.7:4001");
  });

  it("is that of the pair which says so itself, in an engine without transports", async () => {
    const pairs = PAIRS.map((pair) => ({ ...pair, selected: pair.id === "p1" }));
    expect(await measuredCandidate(measuring([...pairs, OTHER, REMOTE]))).toBe("192.0.2.7:4001");
  });

  it("is not known where none is chosen yet, or its address is hidden", async () => {
    expect(await measuredCandidate(measuring([...PAIRS, OTHER, REMOTE]))).toBeUndefined();
    const transport = { id: "t", type: "transport", selectedCandidatePairId: "p1" };
    const hidden = { ...REMOTE, address: "redacted-ip.invalid" };
    expect(await measuredCandidate(measuring([...PAIRS, transport, hidden]))).toBeUndefined();
  });
});
