/** Lines for the console, which keeps what it is given. */
import { describe, expect, it, vi } from "vitest";
import { MAX_LOGGED_CAUSES } from "../../../src/browser/limits.ts";
import { openPageLog } from "../../../src/browser/page-log.ts";

function logged(details?: object): unknown[] {
  const info = vi.spyOn(console, "info").mockImplementation(() => undefined);
  openPageLog("node").info("a line", details);
  return info.mock.lastCall ?? [];
}

describe("a line of a page's log", () => {
  it("has what is simple as it is", () => {
    const details = { fileId: "bafy", count: 2, isKept: false, size: 1n, nothing: null };
    expect(logged(details)).toEqual(["[node] a line", details]);
    expect(logged()).toEqual(["[node] a line"]);
  });

  it("tells of errors with what they came of, and leads to none of them", () => {
    const closed = Object.assign(new Event("close"), { of: { connection: "kept for good" } });
    const dials = new AggregateError([new Error("no way"), new TypeError("no address")], "all dials failed");
    const error = new Error("no catalogue", { cause: new Error("no stream", { cause: closed }) });
    const [, told] = logged({ error, dials, peer: { toString: () => "12D3" } }) as [string, object];
    expect(Object.values(told).map((value) => typeof value)).toEqual(["string", "string", "string"]);
    expect(told).toEqual({
      error: expect.stringMatching(
        /^Error: no catalogue\n.*\ncaused by Error: no stream\n.*\ncaused by event close$/s,
      ),
      dials: expect.stringMatching(
        /^AggregateError: all dials failed\n.*caused by Error: no way\n.*caused by TypeError: no addr/s,
      ),
      peer: "12D3",
    });
  });

  it("ends, of an error that comes of itself", () => {
    const error = new Error("round");
    error.cause = error;
    const [, told] = logged({ error }) as [string, { error: string }];
    expect(told.error.split("caused by")).toHaveLength(MAX_LOGGED_CAUSES);
  });
});
