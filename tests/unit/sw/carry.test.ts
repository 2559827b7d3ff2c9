/** What the service worker answers when the tab that leads can't, or goes away in the middle. */
import { expect, it, vi } from "vitest";
import { BridgeError, type BridgeErrorName } from "../../../src/bridge/bridge-error.ts";
import { MAX_SENDS } from "../../../src/bridge/limits.ts";
import { carry } from "../../../sw/carry.ts";

type Leader = Parameters<typeof carry>[2];
type Find = () => Promise<{ asker: { request(request: Request, client: string): Promise<Response> } }>;

const INFO = "http://localhost/api/v1/node/info";

function leaderThat(find: Find) {
  const reportSilence = vi.fn();
  return { leader: { find, reportSilence } as unknown as Leader, reportSilence };
}

/** Tabs that lead one after another: each fails in that way, or answers. */
function leaders(...ends: (BridgeErrorName | "answers")[]) {
  const asked: string[] = [];
  const { leader, reportSilence } = leaderThat(async () => ({
    asker: {
      async request(_request, client) {
        const end = ends[asked.length] ?? "answers";
        asked.push(client);
        if (end === "answers") return new Response("here");
        throw new BridgeError(end, `it is ${end}`);
      },
    },
  }));
  return { leader, reportSilence, asked };
}

it.each(["closed", "silent", "not_leading"] as const)(
  "what changes nothing is asked again of the next leader where the former is %s",
  async (end) => {
    for (const method of ["GET", "HEAD"]) {
      const { leader, asked } = leaders(end);
      const response = await carry(new Request(INFO, { method }), "tab", leader);
      expect([response.status, asked]).toEqual([200, ["tab", "tab"]]);
    }
  },
);

it("what changes something is sent once, and answered 503, since nobody knows whether it was carried out", async () => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const { leader, asked } = leaders("closed");
    const response = await carry(new Request(INFO, { method }), "tab", leader);
    expect([response.status, response.headers.get("retry-after"), asked.length]).toEqual([503, "2", 1]);
    expect(await response.json()).toEqual({ error: true, code: 503, message: "it is closed" });
  }
});

it("one leader after another that goes is no reason to ask for ever", async () => {
  const { leader, asked } = leaders(...Array<"closed">(2 * MAX_SENDS).fill("closed"));
  const response = await carry(new Request(INFO), "tab", leader);
  expect([response.status, asked.length]).toEqual([503, MAX_SENDS]);
});

it("what a leader refuses that stays where it is, as of too many requests, is not asked again", async () => {
  for (const end of ["busy", "protocol_error", "version_mismatch"] as const) {
    const { leader, asked } = leaders(end);
    const response = await carry(new Request(INFO), "tab", leader);
    expect([response.status, asked.length]).toEqual([503, 1]);
  }
});

it("a leader that answers nothing is told of, so that another tab takes over; one that is gone is not", async () => {
  const silent = leaders("silent");
  await carry(new Request(INFO), "tab", silent.leader);
  expect(silent.reportSilence).toHaveBeenCalledOnce();
  const closed = leaders("closed");
  await carry(new Request(INFO), "tab", closed.leader);
  expect(closed.reportSilence).not.toHaveBeenCalled();
});

it("where nobody leads, the reason is told at once, and none is asked again", async () => {
  const find = vi.fn<Find>(() => Promise.reject(new BridgeError("no_leader", "No tab hosts the node")));
  const response = await carry(new Request(INFO), "tab", leaderThat(find).leader);
  expect([response.status, find.mock.calls.length]).toEqual([503, 1]);
  expect(await response.json()).toMatchObject({ message: "No tab hosts the node" });
});

it("what fails in the leader is 500, and nobody is told how", async () => {
  const response = await carry(new Request(INFO), "tab", leaders("failed").leader);
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ error: true, code: 500, message: "Internal server error" });
  const vectors = await carry(new Request("http://localhost/vectors"), "tab", leaders("failed").leader);
  expect(await vectors.json()).toEqual({ error: { code: "internal", message: "Internal server error" } });
});

it("what is too long to be carried is 431, and not asked again", async () => {
  const { leader, asked } = leaders("too_large");
  const response = await carry(new Request(INFO), "tab", leader);
  expect([response.status, asked.length]).toEqual([431, 1]);
});

it("a navigation, which no page asks for, counts as such", async () => {
  const { leader, asked } = leaders();
  await carry(new Request(INFO), "", leader);
  expect(asked).toEqual(["navigation"]);
});

it("a form that posts here, as one of any site may, reaches nobody; a place that somebody goes to is asked for", async () => {
  const { leader, asked } = leaders();
  const navigation = (method: string) =>
    Object.defineProperty(new Request(INFO, { method }), "mode", { value: "navigate" });
  expect((await carry(navigation("POST"), "", leader)).status).toBe(403);
  expect(asked).toEqual([]);
  expect((await carry(navigation("GET"), "", leader)).status).toBe(200);
});

it("a request that its maker gave up fails as that", async () => {
  const abort = new DOMException("given up", "AbortError");
  const { leader } = leaderThat(async () => ({ asker: { request: () => Promise.reject(abort) } }));
  await expect(carry(new Request(INFO), "tab", leader)).rejects.toBe(abort);
});
