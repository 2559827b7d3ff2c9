/** Resources that not every host has, or whose time the test must own: gateway, page, webhooks, tickets. */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { CarReader } from "@ipld/car/reader";
import { decode } from "@ipld/dag-pb";
import { base36 } from "multiformats/bases/base36";
import { base58btc } from "multiformats/bases/base58";
import { CID } from "multiformats/cid";
import { identity } from "multiformats/hashes/identity";
import { describe, expect, it, vi } from "vitest";
import { gatewayRoutes } from "../../src/api/gateway.ts";
import { MAX_EVENT_STREAMS, MAX_SERVER_URL_CHARS, TICKET_LIFETIME_MS } from "../../src/api/limits.ts";
import type { ApiKeys } from "../../src/api/ports.ts";
import { clientKey } from "../../src/api/rate-limit.ts";
import { openWebhooks } from "../../src/api/webhooks/webhooks.ts";
import { DEFAULT_HITS, MAX_HITS } from "../../src/search/limits.ts";
import { SharingError, type SharingErrorName } from "../../src/sharing/errors.ts";
import { encodeFolder } from "../../src/sharing/folders/folder.ts";
import { verifyBlock } from "../../src/sharing/hash.ts";
import { MemoryRecords } from "../../src/sharing/memory/memory-records.ts";
import { systemClock } from "../../src/sharing/system-clock.ts";
import { deferred } from "../deferred.ts";
import { HandClock } from "../unit/hand-clock.ts";
import { checkDocumented, type OpenApiDocument } from "./conformance/documented.ts";
import { KEY, openInProcess, SILENT } from "./in-process.ts";

const MIB = 1024 * 1024;
const anonymous = { authorization: "" };
const never = new AbortController().signal;

async function* once(bytes: Uint8Array) {
  yield bytes;
}

describe("the gateway", () => {
  const CAR = "application/vnd.ipld.car";

  async function open(sizeBytes: number) {
    const { call, fake } = openInProcess({ gateway: gatewayRoutes });
    const bytes = randomBytes(sizeBytes);
    const { file } = await fake.node.share(once(bytes), { name: "f" });
    const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
      call(`/ipfs/${path}`, { method, headers: { ...anonymous, ...headers } });
    return { get, bytes, id: file.id, node: fake.node };
  }

  it("knows a content id in each of its spellings", async () => {
    const { get, id } = await open(1000);
    const cid = CID.parse(id);
    for (const spelling of [id.toUpperCase(), cid.toString(base58btc), cid.toString(base36)]) {
      expect((await get(`${spelling}?format=raw`)).status, spelling).toBe(200);
    }
    expect((await get("bnonsense?format=raw")).status).toBe(400);
    const long = CID.createV1(0x55, identity.digest(new Uint8Array(100)));
    expect((await get(`${long}?format=raw`)).status).toBe(400);
    const { get: getDag, id: dag } = await open(2 * 1024 * 1024);
    expect((await getDag(`${CID.parse(dag).toV0()}?format=raw`)).status).toBe(200);
  });

  it("gives anyone a block by ?format=raw and by its media type", async () => {
    const { get, bytes, id } = await open(1000);
    for (const response of [
      await get(`${id}?format=raw`),
      await get(id, { accept: "application/vnd.ipld.raw" }),
      await get(id, { accept: "text/html, Application/Vnd.Ipld.Raw" }),
    ]) {
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/vnd.ipld.raw");
      expect(response.headers.get("content-length")).toBe("1000");
      expect(response.headers.get("cache-control")).toContain("immutable");
      expect(response.headers.get("etag")).toBe(`"${id}.raw"`);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${id}.bin"`);
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    }
    const head = await get(`${id}?format=raw`, {}, "HEAD");
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "1000", ""]);
    const unchanged = await get(`${id}?format=raw`, { "if-none-match": `"${id}.raw"` });
    expect([unchanged.status, unchanged.headers.get("content-type")]).toEqual([304, null]);
  });

  it("gives a whole DAG as CAR, depth first, that verifies and holds the file", async () => {
    const { get, bytes, id } = await open(3 * 1024 * 1024 + 7);
    const response = await get(id, { accept: `${CAR}; version=1; order=dfs` });
    expect(response.headers.get("content-type")).toBe(`${CAR}; version=1; order=dfs; dups=y`);
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${id}.car"`);
    expect(response.headers.get("etag")).toBe(`W/"${id}.car.all"`);
    const car = await CarReader.fromBytes(new Uint8Array(await response.arrayBuffer()));
    expect((await car.getRoots()).map(String)).toEqual([id]);
    const leaves: Uint8Array[] = [];
    for await (const block of car.blocks()) {
      await verifyBlock(block.cid, block.bytes);
      if (block.cid.toString() === id) expect(decode(block.bytes).Links).toHaveLength(4);
      else leaves.push(block.bytes);
    }
    expect(Buffer.concat(leaves).equals(bytes)).toBe(true);
    const block = await get(`${id}?format=car&dag-scope=block`);
    const root = await CarReader.fromBytes(new Uint8Array(await block.arrayBuffer()));
    const held: string[] = [];
    for await (const cid of root.cids()) held.push(String(cid));
    expect(held).toEqual([id]);
    expect(block.headers.get("etag")).toBe(`W/"${id}.car.block"`);
  });

  it("has the upload rate allow each reader each byte that goes, and none of what is not sent", async () => {
    const { get, id, node } = await open(2 * MIB);
    const [leaf] = decode((await node.readBlock(CID.parse(id), never)) as Uint8Array).Links;
    let allowedBytes = 0;
    vi.spyOn(node, "mayUpload").mockImplementation(async (reader, sizeBytes) => {
      expect(reader).toBe(clientKey("127.0.0.1"));
      allowedBytes += sizeBytes;
    });
    for (const query of [
      `${leaf?.Hash}?format=raw`,
      `${id}?format=raw`,
      `${id}?format=car`,
      "bafkqaaa?format=car",
    ]) {
      allowedBytes = 0;
      const { byteLength } = await (await get(query)).arrayBuffer();
      expect(allowedBytes, query).toBe(byteLength);
    }
    allowedBytes = 0;
    for (const format of ["raw", "car"]) {
      await (await get(`${id}?format=${format}`, {}, "HEAD")).arrayBuffer();
      await (await get(`${id}?format=${format}`, { "if-none-match": "*" })).arrayBuffer();
    }
    expect(allowedBytes).toBe(0);
  });

  it("sends of a block what may go, while the rest has to wait", async () => {
    const { get, id, node } = await open(MIB);
    const allowed = deferred();
    vi.spyOn(node, "mayUpload").mockResolvedValueOnce().mockReturnValue(allowed.promise);
    const { body, headers } = await get(`${id}?format=raw`);
    expect(headers.get("content-length")).toBe(String(MIB));
    expect((await body?.getReader().read())?.value?.length).toBe(64 * 1024);
  });

  it("waits for no more turns than its bytes need", async () => {
    const { get, id, node } = await open(2 * MIB);
    const [leaf] = decode((await node.readBlock(CID.parse(id), never)) as Uint8Array).Links;
    const mayUpload = vi.spyOn(node, "mayUpload");
    for (const query of [
      `${leaf?.Hash}?format=raw`,
      `${id}?format=car`,
      `${id}?format=car&dag-scope=block`,
    ]) {
      mayUpload.mockClear();
      const { byteLength } = await (await get(query)).arrayBuffer();
      expect(mayUpload, query).toHaveBeenCalledTimes(Math.ceil(byteLength / (64 * 1024)));
    }
  });

  it("gives no bytes that the upload rate does not allow", async () => {
    const { get, id, node } = await open(1000);
    vi.spyOn(node, "mayUpload").mockRejectedValue(new Error("not allowed"));
    for (const format of ["raw", "car"]) {
      const response = await get(`${id}?format=${format}`);
      await expect(response.arrayBuffer(), format).rejects.toThrow("not allowed");
    }
  });

  it("breaks off a DAG of which a block goes, so that nobody takes what came for the whole", async () => {
    const { get, id, node } = await open(3 * 1024 * 1024);
    const readBlock = vi.spyOn(node, "readBlock");
    const response = await get(`${id}?format=car`);
    const reader = response.body?.getReader();
    await reader?.read();
    readBlock.mockResolvedValue(undefined);
    const rest = async () => {
      while (!(await reader?.read())?.done);
    };
    await expect(rest()).rejects.toThrow("Block not found");
  });

  it("answers the probe and refuses what it can't give", async () => {
    const { get, id } = await open(10);
    expect(await (await get("bafkqaaa?format=raw")).text()).toBe("");
    expect((await get(id)).status).toBe(406);
    expect((await get(id, { accept: "text/html,*/*" })).status).toBe(406);
    expect((await get(id, { accept: `${CAR}; version=2` })).status).toBe(406);
    expect((await get("no-cid?format=raw")).status).toBe(400);
    expect((await get("bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy?format=raw")).status).toBe(
      404,
    );
  });

  it("has nothing beneath a block, and asks nobody for a key there", async () => {
    const { get, id } = await open(10);
    for (const path of [`${id}/path?format=car`, `${id}/?format=raw`, ""]) {
      const response = await get(path);
      expect(response.status, path).toBe(404);
      expect(response.headers.get("www-authenticate"), path).toBeNull();
    }
  });

  it("sends no block whose bytes stand in its id as part of a CAR", async () => {
    const { get } = await open(10);
    const car = await CarReader.fromBytes(
      new Uint8Array(await (await get("bafkqaaa?format=car")).arrayBuffer()),
    );
    expect((await car.getRoots()).map(String)).toEqual(["bafkqaaa"]);
    for await (const block of car.blocks()) expect.unreachable(String(block.cid));
  });

  it("answers 404 for a block that is not here, whatever copies the reader names", async () => {
    const { get } = await open(1000);
    const { id: absent } = await open(1000);
    for (const named of ["*", `"${absent}.raw"`]) {
      expect((await get(`${absent}?format=raw`, { "If-None-Match": named })).status, named).toBe(404);
    }
  });

  it("is counted by the rate limit, and not there unless switched on", async () => {
    const limits = { requestsPerMinute: 1, maxBodyBytes: 1000 };
    const { call } = openInProcess({ gateway: gatewayRoutes, limits });
    await call("/ipfs/bafkqaaa?format=raw", { headers: anonymous });
    expect((await call("/ipfs/bafkqaaa?format=raw", { headers: anonymous })).status).toBe(429);
    expect((await openInProcess().call("/ipfs/bafkqaaa?format=raw")).status).toBe(404);
  });
});

describe("the page of the document", () => {
  it("loads its scripts and style from here alone", async () => {
    const folder = new URL("../../node_modules/swagger-ui-dist/", import.meta.url);
    const icon = new URL("../../public/icons/shoal.svg", import.meta.url);
    const docsAssets = async (name: string) =>
      new Uint8Array(await readFile(name === "icon.svg" ? icon : new URL(name, folder)));
    const { call } = openInProcess({ docsAssets });
    const page = await call("/api/v1/docs", { headers: anonymous });
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
    const html = await page.text();
    expect(html).not.toMatch(/https?:\/\//);
    const loaded = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(loaded).toHaveLength(3);
    for (const path of loaded) {
      const asset = await call(path, { headers: anonymous });
      expect(asset.status, path).toBe(200);
      expect(asset.headers.get("content-type"), path).toMatch(
        path.endsWith(".css") ? /^text\/css/ : /^text\/javascript/,
      );
      await asset.body?.cancel();
    }
    expect((await call("/api/v1/docs/package.json", { headers: anonymous })).status).toBe(404);
  });
});

describe("webhooks over the API", () => {
  async function open(records = new MemoryRecords()) {
    const webhooks = await openWebhooks({
      records,
      events: openInProcess().fake.node.events,
      clock: systemClock,
      log: SILENT,
      deliver: async () => new Response(null, { status: 204 }),
      configured: { url: "http://127.0.0.1:9/hook" },
      allowPrivate: false,
    });
    const { call } = openInProcess({ webhooks });
    const post = (body: object) =>
      call("/api/v1/node/webhooks", {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
    return { call, post, webhooks };
  }

  it("are listed, added with a secret that is shown once, and removed", async () => {
    const { call, post, webhooks } = await open();
    const added = await post({ url: "https://hooks.example.org/x", events: ["file_shared"] });
    expect(added.status).toBe(201);
    const hook = (await added.json()) as { id: string; secret: string };
    expect(hook).toMatchObject({
      events: ["file_shared"],
      source: "api",
      created_at: webhooks.list()[1]?.createdAt.toISOString(),
      secret: expect.stringMatching(/^whsec_/),
    });
    const listed = await (await call("/api/v1/node/webhooks")).text();
    expect(JSON.parse(listed).webhooks).toHaveLength(2);
    expect(listed).not.toContain("whsec_");
    expect((await call(`/api/v1/node/webhooks/${hook.id}`, { method: "DELETE" })).status).toBe(200);
    expect((await call(`/api/v1/node/webhooks/${hook.id}`, { method: "DELETE" })).status).toBe(404);
    expect((await call("/api/v1/node/webhooks/settings", { method: "DELETE" })).status).toBe(409);
  });

  it("have an address that is so long at most", async () => {
    const { post } = await open();
    const longest = "https://hooks.example.org/".padEnd(MAX_SERVER_URL_CHARS, "x");
    expect((await post({ url: longest })).status).toBe(201);
    expect((await post({ url: `${longest}x` })).status).toBe(400);
  });

  it("are refused as the document says where the disk is full", async () => {
    const records = new MemoryRecords();
    const { call, post } = await open(records);
    const { id } = (await (await post({ url: "https://hooks.example.org/x" })).json()) as { id: string };
    const document = await (await call("/api/v1/openapi.json")).json();
    records.batch = async () => {
      throw new SharingError("storage_full", "the disk is full");
    };
    const path = `/api/v1/node/webhooks/${id}`;
    const headers = { "content-type": "application/json" };
    const patched = await call(path, { method: "PATCH", headers, body: '{"events":["file_shared"]}' });
    const answers = {
      "POST /api/v1/node/webhooks": await post({ url: "https://hooks.example.org/y" }),
      [`PATCH ${path}`]: patched,
      [`DELETE ${path}`]: await call(path, { method: "DELETE" }),
    };
    for (const [asked, response] of Object.entries(answers)) {
      const [method = "", place = ""] = asked.split(" ");
      expect(response.status, asked).toBe(507);
      await checkDocumented(document as OpenApiDocument, method, place, response);
    }
  });

  it("are refused with the place of an event that there is none of", async () => {
    const { post } = await open();
    const refused = await post({ url: "https://hooks.example.org/x", events: ["file_shared", "lost"] });
    expect(refused.status).toBe(400);
    expect(((await refused.json()) as { message: string }).message).toMatch(/^events\[1\]: must be one of /);
  });

  it("are changed in place, with the secret that they have", async () => {
    const { call, post } = await open();
    const hook = (await (await post({ url: "https://hooks.example.org/x" })).json()) as { id: string };
    const patch = (id: string, body: object) =>
      call(`/api/v1/node/webhooks/${id}`, {
        method: "PATCH",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
    const changed = await patch(hook.id, { url: "https://hooks.example.org/y", events: ["file_shared"] });
    expect(changed.status).toBe(200);
    const { secret: _, ...added } = hook as { id: string; secret: string };
    expect(await changed.json()).toEqual({
      ...added,
      url: "https://hooks.example.org/y",
      events: ["file_shared"],
    });
    expect(await (await patch(hook.id, {})).json()).toMatchObject({ events: ["file_shared"] });
    expect((await patch(hook.id, { url: "http://127.0.0.1:9/" })).status).toBe(403);
    expect((await patch(hook.id, { events: [] })).status).toBe(400);
    expect((await patch("settings", { events: ["file_shared"] })).status).toBe(409);
    expect((await patch("none", { events: ["file_shared"] })).status).toBe(404);
  });

  it.each([
    "http://127.0.0.1:9/",
    "http://[::1]/",
    "http://[::ffff:192.168.0.1]/",
    "http://169.254.169.254/latest/meta-data",
    "http://0.0.0.0/",
    "http://100.64.0.1/",
    "http://localhost/",
  ])("are refused for the private target %s", async (url) => {
    const { post } = await open();
    expect((await post({ url })).status).toBe(403);
  });

  it.each([
    { url: "ftp://example.org" },
    { url: "no url" },
    { url: "https://e.org", events: [] },
    { url: "https://e.org", events: ["transfer_progress"] },
    {},
  ])("are refused as malformed: %j", async (body) => {
    const { post } = await open();
    expect((await post(body)).status).toBe(400);
  });
});

describe("tickets", () => {
  async function open(keys?: ApiKeys) {
    const clock = new HandClock();
    const { call, fake } = openInProcess({ clock, ...(keys && { keys }) });
    const { file } = await fake.node.share(once(randomBytes(10)), { name: "f" });
    const body = JSON.stringify({ file_id: file.id });
    const headers = { "content-type": "application/json" };
    const take = async () => {
      const response = await call("/api/v1/tickets", { method: "POST", body, headers });
      return ((await response.json()) as { url: string }).url;
    };
    const statusOf = async (url: string) => (await call(url, { method: "HEAD", headers: anonymous })).status;
    return { clock, take, statusOf };
  }

  it("end after 12 hours", async () => {
    const { clock, take, statusOf } = await open();
    const url = await take();
    await clock.pass(TICKET_LIFETIME_MS - 1);
    expect(await statusOf(url)).toBe(200);
    await clock.pass(1);
    expect(await statusOf(url)).toBe(404);
  });

  it("are worth nothing once the key that took them is revoked", async () => {
    let isRevoked = false;
    const { take, statusOf } = await open({ verify: async (key) => key === KEY && !isRevoked });
    const url = await take();
    expect(await statusOf(url)).toBe(200);
    isRevoked = true;
    expect(await statusOf(url)).toBe(404);
  });
});

describe("unlisting a folder", () => {
  it("passes over files of it that have gone meanwhile, and no other failure", async () => {
    const { call, fake } = openInProcess();
    const share = async (name: string, bytes: Uint8Array) =>
      (await fake.node.share(once(bytes), { name })).file;
    const inside = await share("sea.jpg", randomBytes(5));
    const list = await share(
      "Trip.folder.json",
      encodeFolder([{ path: "sea.jpg", fileId: inside.id, sizeBytes: 5 }]),
    );
    const setUnlisted = fake.node.setUnlisted.bind(fake.node);
    const unlistWhere = async (name: SharingErrorName) => {
      vi.spyOn(fake.node, "setUnlisted").mockImplementation(async (fileId, isUnlisted) => {
        if (fileId === inside.id) throw new SharingError(name, "not now");
        return await setUnlisted(fileId, isUnlisted);
      });
      const init = {
        method: "PATCH",
        headers: { "content-type": "application/json" },
        body: '{"unlisted":true}',
      };
      return (await call(`/api/v1/files/${list.id}`, init)).status;
    };
    expect(await unlistWhere("storage_full")).toBe(507);
    expect(list.isUnlisted).toBe(false);
    expect(await unlistWhere("file_not_found")).toBe(200);
    expect(await unlistWhere("wrong_state")).toBe(200);
    expect(list.isUnlisted).toBe(true);
  });
});

describe("files like another one", () => {
  it("are looked for where, and as many as, the request says", async () => {
    const { call, search } = openInProcess();
    const id = "bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4";
    const similar = vi.spyOn(search, "similar").mockResolvedValue({ hits: [], total: 0, rankedBy: "name" });
    for (const [query, scope, limit] of [
      ["", "all", DEFAULT_HITS],
      ["?scope=network&limit=3", "network", 3],
      [`?scope=local&limit=${MAX_HITS + 1}`, "local", MAX_HITS],
    ] as const) {
      expect((await call(`/api/v1/files/${id}/similar${query}`)).status).toBe(200);
      expect(similar).toHaveBeenLastCalledWith(id, scope, limit);
    }
  });
});

describe("event streams", () => {
  it("tell a reader nothing more once its key is revoked", async () => {
    let isRevoked = false;
    const { call, fake } = openInProcess({ keys: { verify: async () => !isRevoked } });
    const reader = (await call("/api/v1/events")).body?.getReader();
    await reader?.read();
    isRevoked = true;
    await fake.node.share(once(randomBytes(3)), { name: "after.bin" });
    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });

  it("tell all of this run to a reader with an id of none of its events, and nothing gone by to one with no id", async () => {
    const { call, fake } = openInProcess();
    const first = async (id?: string) => {
      const headers = id === undefined ? {} : { "last-event-id": id };
      const reader = (await call("/api/v1/events?events=file_shared", { headers })).body?.getReader();
      await reader?.read();
      const next = reader?.read();
      await fake.node.share(once(randomBytes(3)), { name: "now.bin" });
      const text = new TextDecoder().decode((await next)?.value);
      await reader?.cancel();
      return { name: /"name":"([^"]*)"/.exec(text)?.[1], id: /^id: (\S+)$/m.exec(text)?.[1] ?? "" };
    };
    await fake.node.share(once(randomBytes(3)), { name: "before.bin" });
    const now = await first();
    expect(now.name).toBe("now.bin");
    expect((await first("")).name).toBe("now.bin");
    const prefix = now.id.replace(/\d+$/, "");
    for (const id of ["another-1", `${prefix}x`, `${prefix}-1`, `${prefix}1.5`, prefix, "1"]) {
      expect((await first(id)).name, id).toBe("before.bin");
    }
    expect((await first(now.id)).name).toBe("now.bin");
  });

  it("are bounded where many come at once, and one that nobody reads has a place until its client leaves", async () => {
    const { call } = openInProcess();
    for (let count = 0; count <= MAX_EVENT_STREAMS; count += 1) {
      expect((await call("/api/v1/events", { method: "HEAD" })).status).toBe(200);
    }
    const leaving = new AbortController();
    const all = Array.from({ length: MAX_EVENT_STREAMS + 3 }, () =>
      call("/api/v1/events", { signal: leaving.signal }),
    );
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(MAX_EVENT_STREAMS);
    expect(statuses.filter((status) => status === 503)).toHaveLength(3);
    leaving.abort();
    expect((await call("/api/v1/events")).status).toBe(200);
  });

  it("are bounded, and a place is free again once its reader left", async () => {
    const { call } = openInProcess();
    const readers: ReadableStreamDefaultReader<Uint8Array>[] = [];
    for (let count = 0; count < MAX_EVENT_STREAMS; count += 1) {
      const reader = (await call("/api/v1/events")).body?.getReader();
      await reader?.read();
      if (reader !== undefined) readers.push(reader);
    }
    expect((await call("/api/v1/events")).status).toBe(503);
    await readers.pop()?.cancel();
    expect((await call("/api/v1/events")).status).toBe(200);
    for (const reader of readers) await reader.cancel();
  });
});
