/** What was moved, by peer: src/exchange/rates/traffic. */
import { expect, it } from "vitest";
import { MAX_REMEMBERED_PEERS } from "../../../src/exchange/limits.ts";
import { Traffic } from "../../../src/exchange/rates/traffic.ts";
import { HandClock } from "../hand-clock.ts";

const NONE = { uploadedBytes: 0, downloadedBytes: 0, uploadBytesPerSecond: 0, downloadBytesPerSecond: 0 };

it("traffic is counted by peer over all its conversations, by direction, and for all together", async () => {
  const clock = new HandClock();
  const traffic = new Traffic(clock);
  traffic.peer("a").uploaded(1000);
  traffic.peer("a").downloaded(30);
  traffic.peer("a").uploaded(500);
  traffic.peer("b").downloaded(7);
  await clock.pass(1000);
  expect(traffic.of("a")).toMatchObject({ uploadedBytes: 1500, downloadedBytes: 30 });
  expect(traffic.of("b")).toMatchObject({ uploadedBytes: 0, downloadedBytes: 7, uploadBytesPerSecond: 0 });
  expect(traffic.totals()).toMatchObject({ uploadedBytes: 1500, downloadedBytes: 37 });
  const { uploadBytesPerSecond, downloadBytesPerSecond } = traffic.of("a");
  expect(uploadBytesPerSecond / downloadBytesPerSecond).toBeCloseTo(50);
});

it("of very many peers those are remembered that were met last, and what was counted stays in the total", () => {
  const traffic = new Traffic(new HandClock());
  const first = traffic.peer("first");
  const second = traffic.peer("second");
  for (const peer of [first, second]) peer.uploaded(10);
  for (let nth = 2; nth < MAX_REMEMBERED_PEERS; nth++) traffic.peer(`${nth}`);
  traffic.peer("first");
  expect([traffic.of("first"), traffic.of("second")].map(({ uploadedBytes }) => uploadedBytes)).toEqual([
    10, 10,
  ]);
  traffic.peer("one more");
  expect([traffic.of("first").uploadedBytes, traffic.of("second")]).toEqual([10, NONE]);
  second.uploaded(5);
  expect([traffic.of("second"), traffic.totals().uploadedBytes]).toEqual([NONE, 25]);
});
