/** ICE servers as text: src/api/ice-server. */
import { describe, expect, it } from "vitest";
import { iceServerOf } from "../../../src/api/ice-server.ts";
import { processorMs } from "../../processor-time.ts";

describe("an ICE server", () => {
  it.each(["stun:stun.example", "stun:192.0.2.7:3478", "stuns:[2001:db8::1]:5349"])(
    "is STUN's: %s",
    (urls) => {
      expect(iceServerOf(urls)).toEqual({ urls });
    },
  );

  it("is TURN's with its name and password", () => {
    expect(iceServerOf("turn:ada:secret@turn.example:3478?transport=tcp")).toEqual({
      urls: "turn:turn.example:3478?transport=tcp",
      username: "ada",
      credential: "secret",
    });
    expect(iceServerOf("turns:1794000000%3Aada:a%40b:c@[2001:db8::1]")).toEqual({
      urls: "turns:[2001:db8::1]",
      username: "1794000000:ada",
      credential: "a@b:c",
    });
  });

  it.each([
    ...["turn:turn.example:3478", "turn:ada@turn.example", "turn:ada:%zz@turn.example", "stun:", "stun:a b"],
    ...["stun:a?transport=udp", "turn:a:b@c?transport=tls", "https://stun.example", "turn:a:b@", ""],
    ...["turn::b@c", "turn:a:@c", "turn::a:b@c"],
  ])("is not: %j", (text) => {
    expect(iceServerOf(text)).toBeUndefined();
  });

  it("is told from a long text of its signs in one pass", async () => {
    const text = `turn:${":@".repeat(2000)} `;
    expect(await processorMs(() => expect(iceServerOf(text)).toBeUndefined())).toBeLessThan(1000);
  });
});
