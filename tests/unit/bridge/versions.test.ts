/** Tabs and workers of different versions meet on one port: what they agree on, and the frames of version 1 for ever. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { askOver } from "../../../src/bridge/asking.ts";
import type { FramePort } from "../../../src/bridge/port-end.ts";
import { BareEnd, bareAnswerer, bareAsker, HELLO } from "./two-ends.ts";

type FrozenFrame = Record<string, unknown> & { type: string };

const frozen: { asking: FrozenFrame[]; answering: FrozenFrame[] } = JSON.parse(
  readFileSync(new URL("../../fixtures/formats/v1/bridge-frames.json", import.meta.url), "utf8"),
);

/** JSON has no bytes. */
function thaw(frame: FrozenFrame): FrozenFrame {
  return frame.type === "chunk" ? { ...frame, bytes: Uint8Array.from(frame.bytes as number[]) } : frame;
}

function freeze(frame: Record<string, unknown>): unknown {
  return frame.type === "chunk" ? { ...frame, bytes: [...(frame.bytes as Uint8Array)] } : frame;
}

/** Answers as the frozen exchange was answered. */
async function echo(request: Request): Promise<Response> {
  const text = await request.text();
  return new Response(text, { status: 201, statusText: "Made" });
}

test("the frozen frames of version 1 are answered as they were", async () => {
  const { bare } = bareAsker(echo);
  bare.send(...frozen.asking.map(thaw));
  const answered: unknown[] = [];
  while (answered.length < frozen.answering.length) answered.push(freeze(await bare.next()));
  expect(answered).toEqual(frozen.answering);
});

test("a request is asked in the frozen frames of version 1", async () => {
  const { bare, asker } = await bareAnswerer();
  const { url, method, headers } = frozen.asking[1] as unknown as {
    url: string;
    method: string;
    headers: [];
  };
  const answer = asker.request(new Request(url, { method, headers, body: "hello" }), "7260AC9AEA9B25EB");
  const asked: unknown[] = [];
  for (let count = 0; count < 4; count++) asked.push(freeze(await bare.next()));
  expect(asked).toEqual(frozen.asking.slice(0, 4));
  bare.send(...frozen.answering.slice(1).map(thaw));
  const response = await answer;
  expect([response.status, response.statusText, await response.text()]).toEqual([201, "Made", "hello"]);
});

test("an end that speaks newer versions too is spoken with", async () => {
  const { port1, port2 } = new MessageChannel();
  const bare = new BareEnd(port1);
  bare.send({ ...HELLO, oldest: 1, newest: 9, extra: "of version 9" });
  const asker = await askOver(port2 as FramePort);
  expect(asker.answerer).toBe("bare");
});

test("an end that speaks only newer versions is refused with what to do", async () => {
  const { port1, port2 } = new MessageChannel();
  const bare = new BareEnd(port1);
  bare.send({ ...HELLO, oldest: 2, newest: 2 });
  await expect(askOver(port2 as FramePort)).rejects.toMatchObject({
    name: "version_mismatch",
    message: expect.stringContaining("reload every tab"),
  });
  expect(await bare.nextOf("bye")).toMatchObject({ name: "version_mismatch" });
});

test("an end that is refused knows why", async () => {
  const { port1, port2 } = new MessageChannel();
  const bare = new BareEnd(port1);
  bare.send({ type: "bye", name: "not_leading", message: "This tab does not host the node" });
  await expect(askOver(port2 as FramePort)).rejects.toMatchObject({ name: "not_leading" });
});
