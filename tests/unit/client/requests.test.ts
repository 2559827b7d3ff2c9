/** What each method of the clients is given stands in the request that it sends, and nothing else does. */
import { describe, expect, it, vi } from "vitest";
import { ShoalClient } from "../../../src/client/client.ts";
import { Client } from "../../../src/client/vx-client.ts";

const { signal } = new AbortController();
const list = { limit: 3, offset: 4 };

/** The last request that a call sends, to a node that answers all of them in a way that no method takes. */
async function sentBy(call: (node: ShoalClient, index: Client) => Promise<unknown>) {
  const sent: { text: string; body: unknown; type: string | null; signal: unknown }[] = [];
  const options = {
    apiKey: "k",
    async fetch(request: Request, init: { signal?: AbortSignal | null }) {
      const { method, url, headers } = request;
      expect(headers.get("authorization")).toBe("Bearer k");
      const body = await request.text();
      const type = headers.get("content-type");
      const text = `${method} ${url.replace("http://127.0.0.1:1", "")}`;
      sent.push({
        text,
        body: type === "application/json" ? JSON.parse(body) : body,
        type,
        signal: init.signal,
      });
      // What keeps nothing unlisted says 405 to this.
      return method === "PATCH" && url.endsWith("/none") ? refusal() : Response.json([]);
    },
  };
  const [node, index] = [ShoalClient, Client].map((Class) => new Class("http://127.0.0.1:1//", options));
  await call(node as ShoalClient, index as Client).catch((error: unknown) => {
    expect(error).toMatchObject({ code: expect.stringMatching(/^(bad_answer|404)$/) });
  });
  return sent.at(-1);
}

const refusal = () => Response.json({ error: true, code: 404, message: "File not found" }, { status: 404 });

describe("a request of the node's client", () => {
  it.each<[string, (node: ShoalClient) => Promise<unknown>, unknown?]>([
    ["GET /health", (node) => node.health()],
    ["GET /api/v1/node/info", (node) => node.nodeInfo()],
    ["GET /api/v1/node/peers?limit=3&offset=4", (node) => node.peers(list)],
    ["POST /api/v1/node/peers", (node) => node.connect("/ip4/127.0.0.1"), { address: "/ip4/127.0.0.1" }],
    ["POST /api/v1/invitations", (node) => node.invite("p", "f"), { peer_id: "p", file_id: "f" }],
    ["GET /api/v1/invitations?limit=3&offset=4", (node) => node.invitations(list)],
    ["GET /api/v1/invitations/sent?limit=3&offset=4", (node) => node.sentInvitations(list)],
    ["DELETE /api/v1/invitations/a%2Fb", (node) => node.dismissInvitation("a/b")],
    ["GET /api/v1/system/stats", (node) => node.systemStats()],
    ["GET /api/v1/settings", (node) => node.settings()],
    ["PATCH /api/v1/settings", (node) => node.changeSettings({ name: null }), { name: null }],
    ["GET /api/v1/identity", (node) => node.identity()],
    ["PUT /api/v1/identity", (node) => node.replaceIdentity("key"), { private_key: "key" }],
    ["GET /api/v1/storage", (node) => node.storage()],
    ["POST /api/v1/storage/persist", (node) => node.persistStorage()],
    ["GET /metrics", (node) => node.metrics()],
    [
      "GET /api/v1/files?q=a+%26&filter=b&limit=3&offset=4",
      (node) => node.files({ q: "a &", filter: "b", ...list }),
    ],
    ["GET /api/v1/files/a%2Fb", (node) => node.file("a/b")],
    [
      "GET /api/v1/files/network?q=a&filter=b&limit=3",
      (node) => node.networkFiles({ q: "a", filter: "b", limit: 3 }),
    ],
    [
      "GET /api/v1/files/f/similar?scope=local&limit=3",
      (node) => node.similarFiles("f", { scope: "local", limit: 3 }),
    ],
    ["GET /api/v1/files/map?scope=network", (node) => node.fileMap({ scope: "network" })],
    ["GET /api/v1/search", (node) => node.searchStatus()],
    ["POST /api/v1/files/share", (node) => node.share("a"), { file_path: "a" }],
    [
      "POST /api/v1/files/share",
      (node) => node.share("a", { unlisted: true }),
      { file_path: "a", unlisted: true },
    ],
    [
      "POST /api/v1/files?name=n&unlisted=false",
      (node) => node.upload(new Blob(["b"]), { name: "n", unlisted: false }),
      "b",
    ],
    ["PATCH /api/v1/files/f", (node) => node.changeFile("f", { unlisted: false }), { unlisted: false }],
    [
      "POST /api/v1/folders/share",
      (node) => node.shareFolder("a", { unlisted: true }),
      { folder_path: "a", unlisted: true },
    ],
    ["POST /api/v1/folders", (node) => node.makeFolder({ name: "n", files: [] }), { name: "n", files: [] }],
    ["GET /api/v1/folders/f", (node) => node.folder("f")],
    ["GET /api/v1/files/f/content?as=zip", (node) => node.folderArchive("f")],
    [
      "POST /api/v1/folders/f/download",
      (node) => node.downloadFolder("f", { max_peers: 3 }),
      { max_peers: 3 },
    ],
    ["GET /api/v1/files/f/content", (node) => node.content("f")],
    ["DELETE /api/v1/files/f", (node) => node.deleteFile("f")],
    ["POST /api/v1/tickets", (node) => node.ticket("f"), { file_id: "f" }],
    [
      "POST /api/v1/transfers/download",
      (node) => node.download({ file_id: "f", max_peers: 3 }),
      { file_id: "f", max_peers: 3 },
    ],
    [
      "GET /api/v1/transfers?limit=3&all=true&status=failed%2Ccompleted",
      (node) => node.transfers({ limit: 3, all: true, status: ["failed", "completed"] }),
    ],
    ["GET /api/v1/transfers/t", (node) => node.transfer("t")],
    ["GET /api/v1/transfers/t/chunks?sample=3", (node) => node.chunks("t", { sample: 3 })],
    ["POST /api/v1/transfers/resume/f", (node) => node.resume("f")],
    ["POST /api/v1/transfers/t/pause", (node) => node.pause("t")],
    ["POST /api/v1/transfers/t/cancel", (node) => node.cancel("t")],
    ["GET /api/v1/node/webhooks", (node) => node.webhooks()],
    [
      "POST /api/v1/node/webhooks",
      (node) => node.addWebhook("u", ["file_shared"]),
      { url: "u", events: ["file_shared"] },
    ],
    ["PATCH /api/v1/node/webhooks/w", (node) => node.changeWebhook("w", { url: "u" }), { url: "u" }],
    ["DELETE /api/v1/node/webhooks/w", (node) => node.removeWebhook("w")],
    ["GET /api/v1/openapi.json", (node) => node.openApi()],
    [
      "GET /api/v1/events?events=file_shared%2Cfile_deleted",
      (node) => node.events({ events: ["file_shared", "file_deleted"] }).next(),
    ],
  ])("is %s", async (text, call, body = "") => {
    expect(await sentBy(call)).toMatchObject({ text, body });
  });

  it.each<[string, (node: ShoalClient) => Promise<unknown>]>([
    ["connect", (node) => node.connect("/ip4/127.0.0.1", signal)],
    ["invite", (node) => node.invite("p", "f", signal)],
    ["files", (node) => node.files({ signal })],
    ["networkFiles", (node) => node.networkFiles({ signal })],
    ["similarFiles", (node) => node.similarFiles("f", { signal })],
    ["fileMap", (node) => node.fileMap({ signal })],
    ["share", (node) => node.share("a", { signal })],
    ["upload", (node) => node.upload(new Blob(["b"]), { name: "n", signal })],
    ["shareFolder", (node) => node.shareFolder("a", { signal })],
    ["folder", (node) => node.folder("f", signal)],
    ["folderArchive", (node) => node.folderArchive("f", signal)],
    ["content", (node) => node.content("f", { signal })],
    ["a range of content", (node) => node.content("f", { start: 1, signal })],
    ["no byte of content", (node) => node.content("f", { start: 1, end: 1, signal })],
    ["events", (node) => node.events({ signal }).next()],
  ])("ends with the signal that is given: %s", async (_name, call) => {
    expect((await sentBy(call))?.signal).toBe(signal);
  });

  it("ends with that signal also where what stands in for fetch looks at the request alone", async () => {
    const ending = new AbortController();
    const fetch = (request: Request) =>
      new Promise<Response>((_resolve, reject) => {
        request.signal.addEventListener("abort", () => reject(request.signal.reason));
        ending.abort("left");
        if (!request.signal.aborted) reject("deaf");
      });
    const node = new ShoalClient("http://127.0.0.1:1", { fetch });
    await expect(node.content("f", { signal: ending.signal })).rejects.toBe("left");
  });

  it("brings a file as bytes, of whatever kind the file is, which a node would take for a form else", async () => {
    for (const bytes of [new Blob(["b"], { type: "multipart/form-data" }), new Uint8Array(1)]) {
      const sent = await sentBy((node) => node.upload(bytes, { name: "n" }));
      expect(sent?.type).toBe("application/octet-stream");
    }
    expect((await sentBy((node) => node.health()))?.type).toBe(null);
  });

  it("hands on a Blob beside it, and no bytes or stream, which would be read twice", async () => {
    const given: RequestInit[] = [];
    const fetch = async (_request: Request, init: RequestInit) => {
      given.push(init);
      return Response.json({ file_id: "f" });
    };
    const node = new ShoalClient("http://127.0.0.1:1", { fetch });
    const blob = new Blob(["b"]);
    for (const body of [blob, new Uint8Array(1), new Blob(["b"]).stream()])
      await node.upload(body, { name: "n" });
    expect(given).toEqual([{ body: blob }, {}, {}]);
    expect(given[0]?.body).toBe(blob);
  });

  it.each<[string, (node: ShoalClient) => Promise<unknown>]>([
    ["a share", (node) => node.share("a", { unlisted: true, signal })],
    ["an upload", (node) => node.upload(new Blob(["b"]), { name: "n", unlisted: true })],
    ["a folder's share", (node) => node.shareFolder("a", { unlisted: true })],
    ["a folder", (node) => node.makeFolder({ name: "n", files: [], unlisted: true })],
    ["a folder's download", (node) => node.downloadFolder("f", { unlisted: true })],
    ["a download", (node) => node.download({ file_id: "f", unlisted: true })],
  ])("is not sent unless the node says that it keeps files unlisted: %s", async (_name, call) => {
    for (const status of [405, 401, 503]) {
      const sent: string[] = [];
      const fetch = async ({ method, url }: Request) => {
        sent.push(`${method} ${new URL(url).pathname}`);
        return Response.json({ error: true, code: status, message: "No" }, { status });
      };
      const node = new ShoalClient("http://127.0.0.1:1", { fetch });
      await expect(call(node)).rejects.toMatchObject({ name: "ShoalError", status });
      expect(sent).toEqual(["PATCH /api/v1/files/none"]);
    }
  });

  it("is sent without that question for ten seconds, after which an older node may have come in the place of the one that answered", async () => {
    const asked: string[] = [];
    const fetch = async ({ method }: Request) => {
      asked.push(method);
      return method === "PATCH" ? refusal() : Response.json({ file_id: "f" });
    };
    const node = new ShoalClient("http://127.0.0.1:1", { fetch });
    for (const nowMs of [0, 9999, 10_000]) {
      vi.spyOn(performance, "now").mockReturnValue(nowMs);
      await node.share("a", { unlisted: true });
    }
    expect(asked).toEqual(["PATCH", "POST", "POST", "PATCH", "POST"]);
  });
});

describe("events", () => {
  it("are asked for from the one on that was read last", async () => {
    const asked: (string | null)[] = [];
    const fetch = async ({ headers }: Request) => {
      asked.push(headers.get("last-event-id"));
      return Response.json([]);
    };
    const node = new ShoalClient("http://127.0.0.1:1", { fetch });
    for (const options of [{}, { lastEventId: "run-7" }]) {
      await expect(node.events(options).next()).rejects.toMatchObject({ code: "bad_answer" });
    }
    expect(asked).toEqual([null, "run-7"]);
  });

  it("come whole wherever the stream is cut, and the stream is let go of once they are left", async () => {
    const event = {
      event: "file_shared",
      timestamp: "2026-11-01T10:00:00Z",
      data: { name: "Müller 🐟.txt" },
    };
    const bytes = new TextEncoder().encode(`id: run-7\ndata: ${JSON.stringify(event)}\n\n`);
    let at = 0;
    let isCancelled = false;
    const body = new ReadableStream({
      pull(controller) {
        if (at < bytes.length) controller.enqueue(bytes.subarray(at, ++at));
      },
      cancel() {
        isCancelled = true;
      },
    });
    // The names of media types are of no case.
    const headers = { "content-type": "Text/Event-Stream; charset=utf-8" };
    const fetch = async () => new Response(body, { headers });
    for await (const read of new ShoalClient("http://127.0.0.1:1", { fetch }).events()) {
      expect(read).toEqual({ ...event, id: "run-7" });
      break;
    }
    expect(isCancelled).toBe(true);
  });

  it("have an empty id where the node gives them none", async () => {
    const text = 'data: {"event":"file_deleted","data":{"file_id":"f"}}\n\n';
    const headers = { "content-type": "text/event-stream" };
    const node = new ShoalClient("http://127.0.0.1:1", {
      fetch: async () => new Response(text, { headers }),
    });
    expect((await node.events().next()).value).toMatchObject({ event: "file_deleted", id: "" });
  });
});

describe("an answer that is none to what was asked", () => {
  it("is told of by its first eighty characters", async () => {
    const told = async (text: string) =>
      await new ShoalClient("http://127.0.0.1:1", { fetch: async () => new Response(text) })
        .health()
        .catch(({ message }: Error) => message);
    const eighty = "x".repeat(80);
    expect(await told(eighty)).toContain(`: "${eighty}"`);
    expect(await told(`${eighty}x`)).toContain(`: "${eighty}..."`);
  });

  it("is told from no JSON where it is some, of something else", async () => {
    const fetch = async () => Response.json({ app: "photos" });
    const answer = new ShoalClient("http://127.0.0.1:1", { fetch }).health();
    await expect(answer).rejects.toThrow("/health answered 200 with what no node answers there: ");
  });

  it.each([
    [{ error: null, message: "Upstream is down" }, "Upstream is down"],
    [{ error: { message: "Upstream is down" } }, "Upstream is down"],
    [{ error: { code: 17, message: "Upstream is down" } }, "Upstream is down"],
    [{ error: null }, "The node answered 502"],
  ])(
    "has its status as its code where it is a refusal with none of the index's: %j",
    async (body, message) => {
      const fetch = async () => Response.json(body, { status: 502 });
      const answer = new ShoalClient("http://127.0.0.1:1", { fetch }).health();
      await expect(answer).rejects.toMatchObject({ name: "ShoalError", code: "502", status: 502, message });
    },
  );

  it.each<[string, (node: ShoalClient) => Promise<unknown>]>([
    ["events", (node) => node.events().next()],
    ["a range of content", (node) => node.content("f", { start: 1 })],
  ])("is not read, and its connection let go of: %s", async (_name, call) => {
    const cancel = vi.fn();
    const fetch = async () => new Response(new ReadableStream({ cancel }));
    await expect(call(new ShoalClient("http://127.0.0.1:1", { fetch }))).rejects.toMatchObject({
      code: "bad_answer",
    });
    expect(cancel).toHaveBeenCalledOnce();
  });
});

describe("a request of the index's client", () => {
  const vector = [1, 0.5];
  it.each<[string, (index: Client) => Promise<unknown>, unknown?]>([
    ["POST /vectors", (index) => index.add(1n, vector, { a: 1 }), { id: 1, vector, metadata: { a: 1 } }],
    // As a program without types, or JSON, says that there is none.
    ["POST /vectors", (index) => index.add(1, vector, null as never), { id: 1, vector, metadata: null }],
    ["POST /vectors/batch", (index) => index.batchAdd([{ id: 1, vector }]), { vectors: [{ id: 1, vector }] }],
    ["POST /vectors/batch", (index) => index.batchAddJson(new Blob(['{"vectors":[]}'])), { vectors: [] }],
    ["POST /vectors/arrow", (index) => index.appendFromArrow(new Blob(["arrow"])), "arrow"],
    ["GET /vectors/7", (index) => index.get(7)],
    ["DELETE /vectors/7", (index) => index.delete(7n)],
    ["GET /vectors?limit=3&offset=4&vectors=true", (index) => index.list({ ...list, vectors: true })],
    ["POST /search", (index) => index.search(vector), { vector }],
    ["POST /search", (index) => index.search(vector, 3, 2, 5), { vector, k: 3, page: 2, page_size: 5 }],
    [
      "POST /search/hybrid",
      (index) => index.hybridSearch(vector, 3, "a = 1", 2, 5),
      { vector, k: 3, filter: "a = 1", page: 2, page_size: 5 },
    ],
    [
      "POST /search/negatives",
      (index) => index.searchWithNegatives(vector, [[0, 1]], 3, 2, 5),
      { positive_vector: vector, negative_vectors: [[0, 1]], k: 3, page: 2, page_size: 5 },
    ],
    [
      "POST /search/faceted",
      (index) => index.facetedSearch(vector, 3, { a: true }, 2, 5),
      { vector, k: 3, facets: { a: true }, page: 2, page_size: 5 },
    ],
    ["POST /search/multi", (index) => index.multiVectorSearch([vector], 3), { vectors: [vector], k: 3 }],
    ["POST /metadata/query", (index) => index.queryMetadata("SELECT 1"), { query: "SELECT 1" }],
    ["POST /reduce", (index) => index.reduceVectors([vector]), { vectors: [vector] }],
    ["POST /admin/refit", (index) => index.refit()],
    ["POST /admin/backup", (index) => index.backup(), {}],
    [
      "POST /admin/backup",
      (index) => index.backup("p", true, false),
      { path: "p", incremental: true, compress: false },
    ],
    ["POST /admin/restore", (index) => index.restore("p"), { path: "p" }],
    ["GET /admin/backups", (index) => index.backups()],
    ["GET /admin/backups/a%2Fb", (index) => index.downloadBackup("a/b")],
    ["PUT /admin/backups/a%2Fb", (index) => index.uploadBackup("a/b", new Blob(["zip"])), "zip"],
    ["DELETE /admin/backups/a%2Fb", (index) => index.deleteBackup("a/b")],
    ["GET /admin/metrics", (index) => index.metrics()],
  ])("is %s", async (text, call, body = "") => {
    expect(await sentBy((_node, index) => call(index))).toMatchObject({ text, body });
  });

  it("is none for what no record can be, also where the server would take it for something else", async () => {
    const fetch = vi.fn();
    const index = new Client("http://127.0.0.1:1", { fetch });
    for (const id of ["7", -1n, 2n ** 53n] as never[])
      await expect(index.add(id, vector)).rejects.toMatchObject({ name: "InvalidIDError" });
    for (const records of [undefined, { 0: { id: 1, vector } }, [null], [{ id: 1, vector }, null]] as never[])
      await expect(index.batchAdd(records)).rejects.toThrow("A batch is an array of records");
    const records = [
      { id: 1, vector },
      { id: 2, vector: [Number.NaN] },
    ];
    await expect(index.batchAdd(records)).rejects.toThrow("vectors[1]: A vector's elements must be finite");
    await expect(index.search(null as never)).rejects.toThrow("A vector is an array of numbers");
    await expect(index.reduceVectors({ 0: vector } as never)).rejects.toThrow("Several vectors are a list");
    expect(fetch).not.toHaveBeenCalled();
  });

  it("throws what fetch does, as it is", async () => {
    const thrown = new TypeError("fetch failed");
    const index = new Client("http://127.0.0.1:1", { fetch: () => Promise.reject(thrown) });
    await expect(index.refit()).rejects.toBe(thrown);
    await expect(index.downloadBackup("a")).rejects.toBe(thrown);
  });

  it.each<[string, (index: Client) => Promise<unknown>]>([
    ["downloadBackup", (index) => index.downloadBackup("a", signal)],
    ["uploadBackup", (index) => index.uploadBackup("a", new Blob(["zip"]), signal)],
  ])("ends with the signal that is given: %s", async (_name, call) => {
    expect((await sentBy((_node, index) => call(index)))?.signal).toBe(signal);
  });

  it("says of what kind its bytes are", async () => {
    const typeOf = async (call: (index: Client) => Promise<unknown>) =>
      (await sentBy((_node, index) => call(index)))?.type;
    expect(await typeOf((index) => index.appendFromArrow(new Uint8Array(1)))).toBe(
      "application/vnd.apache.arrow.stream",
    );
    expect(await typeOf((index) => index.uploadBackup("a", new Uint8Array(1)))).toBe("application/zip");
  });
});

describe("a key", () => {
  const fetch = async (request: Request) => Response.json({ key: request.headers.get("authorization") });

  it.each(["secret\nof two lines", "secret\u200b", "secret\0"])(
    "that no header holds is not told of: %j",
    async (apiKey) => {
      const refusal = await new ShoalClient("http://127.0.0.1:1", { apiKey, fetch })
        .nodeInfo()
        .catch((error) => error);
      expect(refusal).toBeInstanceOf(TypeError);
      expect(refusal.message).toBe("The API key has characters that no header can hold");
      expect([refusal.cause, refusal.stack.includes("secret")]).toEqual([undefined, false]);
    },
  );

  it("that is not given is not sent", async () => {
    const node = new ShoalClient("http://127.0.0.1:1", { fetch });
    await expect(node.nodeInfo()).rejects.toThrow(JSON.stringify(JSON.stringify({ key: null })));
  });

  it("may be a file's whole text, with the end of its line", async () => {
    const apiKey = "secret\r\n";
    const refusal = await new ShoalClient("http://127.0.0.1:1", { apiKey, fetch })
      .nodeInfo()
      .catch((error) => error);
    expect(refusal.message).toContain("Bearer secret");
    expect(refusal.message).not.toContain("\\n");
  });
});
