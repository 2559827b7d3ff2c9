/** Notes as bytes, and bytes that are none: src/network/notes/note-messages. */
import "../../../src/headless/node20-shims.ts";
import { readFileSync } from "node:fs";
import { lpStream, streamPair } from "@libp2p/utils";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_NOTE_BYTES } from "../../../src/network/notes/limits.ts";
import { decodeNote, encodeNote, type Note } from "../../../src/network/notes/note-messages.ts";
import { Notes } from "../../../src/network/notes/notes.ts";
import { safeFileName } from "../../../src/sharing/file-name.ts";
import { isNodeName } from "../../../src/sharing/node-name.ts";
import { someFile } from "../../network/some-file.ts";
import { settled } from "../hand-clock.ts";
import { OnePeerNode } from "./one-peer-node.ts";

const frozen: { what: string; note: Note; hex: string }[] = JSON.parse(
  readFileSync(new URL("../../fixtures/formats/v1/notes.json", import.meta.url), "utf8"),
);

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const refused = expect.objectContaining({ name: "protocol_error" });
const swarm = fc.stringMatching(/^[a-z0-9]{1,64}$/);
const nodeName = fc.string({ unit: "grapheme", maxLength: 64 }).filter(isNodeName);
const fileName = fc.string({ unit: "binary", maxLength: 300 }).map(safeFileName);
const note: fc.Arbitrary<Note> = fc.oneof(
  fc.record({ swarm, kind: fc.constant("name" as const), name: nodeName }),
  fc.record({
    swarm,
    kind: fc.constant("invitation" as const),
    file: fileName.map((name) => someFile(name, { sizeBytes: Number.MAX_SAFE_INTEGER })),
  }),
);

describe("notes on the wire", () => {
  it.each(frozen)("keep the frozen bytes of $what", ({ note: sent, hex: bytes }) => {
    expect(hex(encodeNote(sent))).toBe(bytes);
    expect(decodeNote(Buffer.from(bytes, "hex"))).toEqual(sent);
  });

  it("come back as they were sent, however long, and fit a frame", () => {
    fc.assert(
      fc.property(note, (sent) => {
        const bytes = encodeNote(sent);
        expect(bytes.length).toBeLessThanOrEqual(MAX_NOTE_BYTES);
        expect(decodeNote(bytes)).toEqual(sent);
      }),
    );
  });

  it("are refused when cut at any byte or followed by one more", () => {
    fc.assert(
      fc.property(note, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (sent, where) => {
        const bytes = encodeNote(sent);
        expect(() => decodeNote(bytes.subarray(0, Math.floor(where * bytes.length)))).toThrow(refused);
        expect(() => decodeNote(Uint8Array.of(...bytes, 0))).toThrow(refused);
      }),
    );
  });

  it("are refused for names that nobody may have", () => {
    for (const name of ["a\nb", "\u202egpj", "x".repeat(65)])
      expect(() => decodeNote(encodeNote({ swarm: "main", kind: "name", name })), name).toThrow(refused);
  });
});

describe("the name of a node", () => {
  async function listening() {
    const node = new OnePeerNode();
    const notes = new Notes({ ...node.ports, onInvited: () => undefined });
    await notes.listen();
    return { node, notes, peerId: node.peer.toString() };
  }

  it("is told to nobody who has gone, whom that would dial", async () => {
    const { node, notes } = await listening();
    node.meet();
    notes.rename("Attic");
    await settled();
    expect(node.asked).toBe(1);
    node.lose();
    notes.rename("Loft");
    expect(node.asked).toBe(1);
  });

  it("is told by the next connection where that by which it was being told has ended", async () => {
    const { node, notes } = await listening();
    notes.rename("Attic");
    node.meet();
    node.meet();
    await settled();
    expect(node.asked).toBe(2);
  });

  it.each([
    ["is kept", true, "Attic"],
    ["is not kept of one that has gone meanwhile", false, undefined],
  ])("%s", async (_what, isConnected, name) => {
    const { node, notes, peerId } = await listening();
    const [here, there] = await streamPair();
    node.isConnected = isConnected;
    node.take(here);
    const frames = lpStream(there);
    await frames.write(encodeNote({ swarm: "test", kind: "name", name: "Attic" }));
    await frames.read();
    expect(notes.nameOf(peerId)).toBe(name);
  });
});
