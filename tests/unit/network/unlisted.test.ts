/** Questions for unlisted files, as bytes: src/network/providers/unlisted-messages. */
import { readFileSync } from "node:fs";
import { lpStream, streamPair } from "@libp2p/utils";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../../../src/headless/node20-shims.ts";
import {
  MAX_MARKS_PER_QUESTION,
  MAX_QUESTION_BYTES,
  MAX_WAITING_QUESTIONS,
  QUESTION_BURST,
} from "../../../src/network/providers/limits.ts";
import { Questions } from "../../../src/network/providers/questions.ts";
import { Unlisted } from "../../../src/network/providers/unlisted.ts";
import {
  type Answer,
  decodeAnswer,
  decodeQuestion,
  encodeAnswer,
  encodeQuestion,
  markOf,
  proofOf,
} from "../../../src/network/providers/unlisted-messages.ts";
import type { Held } from "../../../src/sharing/ports.ts";
import { HandClock, settled } from "../hand-clock.ts";
import { OnePeerNode } from "./one-peer-node.ts";

interface Frozen {
  peerId: string;
  askerId: string;
  swarm: string;
  fileIds: string[];
  question: string;
  held: Held[];
  answer: string;
}

const frozen: Frozen = JSON.parse(
  readFileSync(new URL("../../fixtures/formats/v1/unlisted.json", import.meta.url), "utf8"),
);

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const refused = expect.objectContaining({ name: "protocol_error" });
const question = fc.record({
  swarm: fc.stringMatching(/^[a-z0-9]{1,64}$/),
  marks: fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), {
    minLength: 1,
    maxLength: MAX_MARKS_PER_QUESTION,
  }),
});

function answersOf(held: Held[], proofs: Uint8Array[]): Answer[] {
  return held.map((held, at) => (held === "none" ? { held } : { held, proof: proofs[at] as Uint8Array }));
}

describe("questions for unlisted files on the wire", () => {
  it("keep their frozen bytes", () => {
    const { peerId, askerId, swarm, fileIds, held } = frozen;
    const asked = { swarm, marks: fileIds.map((fileId) => markOf(peerId, fileId)) };
    expect(hex(encodeQuestion(asked))).toBe(frozen.question);
    expect(decodeQuestion(Buffer.from(frozen.question, "hex"))).toEqual(asked);
    const proofs = fileIds.map((fileId) => proofOf(peerId, askerId, fileId));
    expect(hex(encodeAnswer(answersOf(held, proofs)))).toBe(frozen.answer);
    expect(decodeAnswer(Buffer.from(frozen.answer, "hex"), proofs)).toEqual(held);
  });

  it("come back as they were sent, and fit a frame", () => {
    fc.assert(
      fc.property(question, (sent) => {
        const bytes = encodeQuestion(sent);
        expect(bytes.length).toBeLessThanOrEqual(MAX_QUESTION_BYTES);
        expect(decodeQuestion(bytes)).toEqual(sent);
      }),
    );
  });

  it("are refused when cut at any byte or followed by one more, and where they ask for nothing or too much", () => {
    fc.assert(
      fc.property(question, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (sent, where) => {
        const bytes = encodeQuestion(sent);
        expect(() => decodeQuestion(bytes.subarray(0, Math.floor(where * bytes.length)))).toThrow(refused);
        expect(() => decodeQuestion(Uint8Array.of(...bytes, 0))).toThrow(refused);
      }),
    );
    const mark = new Uint8Array(32);
    for (const count of [0, MAX_MARKS_PER_QUESTION + 1]) {
      const marks = new Array<Uint8Array>(count).fill(mark);
      expect(() => decodeQuestion(encodeQuestion({ swarm: "main", marks })), `${count}`).toThrow(refused);
    }
  });

  it("name a file to one peer alone", () => {
    const [fileId = "", other = ""] = frozen.fileIds;
    const marks = [markOf("a", fileId), markOf("b", fileId), markOf("a", other)];
    expect(new Set(marks.map(hex)).size).toBe(3);
  });

  it("are answered for each, and no yes is taken without its proof", () => {
    const proofs = ["a", "b"].map((fileId) => proofOf("peer", "asker", fileId));
    const anything = fc.array(fc.constantFrom<Held>("none", "some", "all"), { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(anything, fc.nat(), (held, at) => {
        const bytes = encodeAnswer(answersOf(held, proofs));
        expect(decodeAnswer(bytes, proofs)).toEqual(held);
        expect(() => decodeAnswer(bytes.subarray(0, at % bytes.length), proofs)).toThrow(refused);
        expect(() => decodeAnswer(Uint8Array.of(...bytes, 0), proofs)).toThrow(refused);
      }),
    );
    for (const forged of [
      proofOf("peer", "other", "a"),
      proofOf("other", "asker", "a"),
      proofOf("peer", "asker", "b"),
      markOf("peer", "a"),
    ])
      expect(() => decodeAnswer(Uint8Array.of(2, ...forged, 0), proofs)).toThrow(refused);
    expect(() => decodeAnswer(Uint8Array.of(3, 0), proofs)).toThrow(refused);
  });
});

describe("questions to one peer", () => {
  it("go together, those that come meanwhile in the next message, and the same one once", async () => {
    const asked: (readonly string[])[] = [];
    const questions = new Questions(async (fileIds) => {
      asked.push(fileIds);
      await Promise.resolve();
      return fileIds.map((fileId) => (fileId === "b" ? "all" : "none"));
    });
    const answers = ["a", "b", "a"].map((fileId) => questions.ask(fileId));
    await Promise.resolve();
    const later = Array.from({ length: MAX_MARKS_PER_QUESTION + 1 }, (_, at) => questions.ask(`later ${at}`));
    expect(await Promise.all(answers)).toEqual(["none", "all", "none"]);
    expect(new Set(await Promise.all(later))).toEqual(new Set(["none"]));
    expect(asked.map(({ length }) => length)).toEqual([2, MAX_MARKS_PER_QUESTION, 1]);
    expect(await questions.ask("b")).toBe("all");
  });

  it("get no answer all together where it is silent", async () => {
    let asked = 0;
    const questions = new Questions(async () => {
      asked += 1;
      return undefined;
    });
    const answers = Array.from({ length: 3 * MAX_MARKS_PER_QUESTION }, (_, at) => questions.ask(`${at}`));
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["none"]));
    expect(asked).toBe(1);
  });

  it("that are too many are not asked, and one without an answer holds nothing", async () => {
    let asked = 0;
    const questions = new Questions(async (fileIds) => {
      asked += fileIds.length;
      return [];
    });
    const answers = Array.from({ length: MAX_WAITING_QUESTIONS + 10 }, (_, at) => questions.ask(`${at}`));
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["none"]));
    expect(asked).toBe(MAX_WAITING_QUESTIONS);
  });
});

describe("a peer that may hold an unlisted file", () => {
  it("is asked once, however often it says that it is there, and is not dialled for it once it has gone", async () => {
    const node = new OnePeerNode();
    const unlisted = new Unlisted(node.ports);
    await unlisted.listen();
    const over = new AbortController();
    const search = { fileId: "a", isListed: () => false, onHolder: () => {}, onAnswered: () => {} };
    const looking = unlisted.search(search, over.signal);
    for (let count = 0; count < 3; count++) {
      node.meet();
      await settled();
    }
    expect(node.asked).toBe(1);
    node.lose();
    expect(await unlisted.ask(node.peer.toString(), "a")).toBe("none");
    expect(node.asked).toBe(1);
    over.abort();
    await expect(looking).rejects.toThrow();
  });
});

it("a peer that asks too often waits for its answer, and nothing for one that it has given up", async () => {
  const node = new OnePeerNode();
  const clock = new HandClock();
  await new Unlisted({ ...node.ports, clock }).listen();
  const ask = async () => {
    const [theirs, ours] = await streamPair();
    node.take(ours);
    const frames = lpStream(theirs);
    await frames.write(encodeQuestion({ swarm: "test", marks: [new Uint8Array(32)] }));
    return { theirs, answer: frames.read() };
  };
  for (let asked = 0; asked < QUESTION_BURST; asked++) await (await ask()).answer;
  const { theirs, answer } = await ask();
  const failed = answer.catch((error: unknown) => error);
  await settled();
  expect(clock.sleeperCount).toBe(1);
  theirs.abort(new Error("that is enough"));
  await failed;
  await settled();
  expect(clock.sleeperCount).toBe(0);
});
