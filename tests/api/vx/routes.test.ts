/** What the conformance suite leaves out: limits that a test must set, long bodies, streams of any length. */
import { constants } from "node:buffer";
import { Table, tableToIPC, vectorFromArray } from "apache-arrow";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { inTurns } from "../../../src/api/in-turns.ts";
import type { ApiPorts } from "../../../src/api/ports.ts";
import {
  ARROW_STREAMS_AT_ONCE,
  LISTED_VECTORS_AT_ONCE,
  LONG_BODIES_AT_ONCE,
  MAX_BACKUP_NAME_CHARS,
  MAX_QUERY_VECTORS,
} from "../../../src/api/vx/limits.ts";
import { resultText } from "../../../src/api/vx/results.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { vectorSchema } from "../../../src/vx/arrow/read-arrow.ts";
import type { Failure } from "../../../src/vx/engine/engine.ts";
import { MAX_ANSWER_CHARS } from "../../../src/vx/engine/limits.ts";
import { MAX_K, MAX_MULTI_RESULTS } from "../../../src/vx/limits.ts";
import { openInProcess } from "../in-process.ts";
import { openVx } from "../open-vx.ts";

const json = { "content-type": "application/json" };

async function open(ports: Partial<ApiPorts> = {}, medium: "memory" | "disk" = "memory") {
  const vx = await openVx({ dimension: 3 }, medium);
  onTestFinished(() => vx.close());
  const { call } = openInProcess({ vx, ...ports });
  const post = (path: string, body: unknown) =>
    call(path, {
      method: "POST",
      headers: json,
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { vx, call, post };
}

/** A batch of so many vectors, of about 60 bytes each. */
function batchOf(count: number): string {
  const vectors = Array.from(
    { length: count },
    (_, id) => `{"id":${id},"vector":[1,0.25,${id / 7}],"metadata":{"n":${id}}}`,
  );
  return `{"vectors":[${vectors.join(",")}]}`;
}

describe("the index over HTTP", () => {
  it("answers a search while a long batch is still being read, and adds nothing where its last record is wrong", async () => {
    const { post, vx } = await open();
    const ended: string[] = [];
    const wrong = batchOf(20_000).replace(/\]\}$/, ',{"id":1,"vector":[1,2]}]}');
    // It is refused as soon as it is read, so that whatever ends before did so meanwhile.
    const batch = post("/vectors/batch", wrong).then((response) => {
      ended.push("batch");
      return response;
    });
    const searches = [1, 2, 3].map(async () => {
      expect((await post("/search", { vector: [1, 0, 0] })).status).toBe(200);
      ended.push("search");
    });
    const [answer] = await Promise.all([batch, ...searches]);
    expect(ended).toEqual(["search", "search", "search", "batch"]);
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: "dimension_mismatch" } },
    ]);
    expect((await vx.index.collectMetrics()).vector_count).toBe(0);
  });

  it("answers with 503 what is asked as the node stops, whatever the index is at, or the client still owes", async () => {
    const { call, vx } = await open();
    const stopping = new AbortController();
    vi.spyOn(vx.index, "search").mockImplementation(async () => {
      stopping.abort(new SharingError("stopped", "the node is stopping"));
      return [];
    });
    const search = { body: '{"vector":[1,0,0]}', headers: json };
    const body = new ReadableStream({
      start: (c) => stopping.signal.addEventListener("abort", () => c.error(stopping.signal.reason)),
    });
    const arrow = {
      body,
      headers: { "content-type": "application/vnd.apache.arrow.stream" },
      duplex: "half" as const,
    };
    const answers = await Promise.all(
      Object.entries({ "/search": search, "/vectors/arrow": arrow }).map(async ([path, init]) => {
        const response = await call(path, { method: "POST", signal: stopping.signal, ...init });
        return [response.status, await response.json()];
      }),
    );
    const refusal = { error: { code: "unavailable", message: "the node is stopping" } };
    expect(answers).toEqual([
      [503, refusal],
      [503, refusal],
    ]);
  });

  it("has the vectors of a batch copied in turns", async () => {
    const { post, vx } = await open();
    const batchAdd = vi.spyOn(vx.index, "batchAdd");
    expect((await post("/vectors/batch", batchOf(2))).status).toBe(200);
    expect(batchAdd.mock.calls[0]?.[3]).toBe(inTurns);
  });

  it("adds all of a batch that takes several turns to read", async () => {
    const { post, vx } = await open();
    const answer = await post("/vectors/batch", batchOf(5000));
    expect(await answer.json()).toEqual({ success: true, count: 5000 });
    expect((await vx.index.collectMetrics()).vector_count).toBe(5000);
  });

  it("tells what the index failed at by itself, and of what nobody foresaw no more than that", async () => {
    const { vx, call } = await open();
    const health = await vx.index.healthCheck();
    const timestamp = new Date("2026-11-26T10:00:00Z");
    const failures: Failure[] = [
      { task: "backup", code: "storage_full", message: "The disk is full", timestamp },
      { task: "snapshot", code: "internal", message: "EIO: /home/someone/index", timestamp },
    ];
    vi.spyOn(vx.index, "healthCheck").mockResolvedValue({ ...health, failures });
    expect(await (await call("/admin/metrics")).json()).toMatchObject({
      vector_count: 0,
      failures: [
        {
          task: "backup",
          code: "storage_full",
          message: "The disk is full",
          timestamp: timestamp.toISOString(),
        },
        { task: "snapshot", code: "internal", message: "an internal error" },
      ],
    });
  });

  it("refuses a body over the limit with 413, also one that does not say its length", async () => {
    const { post, call } = await open({ limits: { requestsPerMinute: 0, maxBodyBytes: 1000 } });
    const long = batchOf(100);
    const streamed = { method: "POST", headers: json, body: new Blob([long]).stream(), duplex: "half" };
    for (const answer of [
      await post("/vectors/batch", long),
      await call("/vectors/batch", streamed as RequestInit),
    ]) {
      expect([answer.status, await answer.json()]).toMatchObject([
        413,
        { error: { code: "payload_too_large" } },
      ]);
    }
    expect((await post("/vectors/batch", batchOf(2))).status).toBe(200);
  });

  it("takes Arrow streams beyond the limit of bodies, batch by batch, up to one that is wrong", async () => {
    const { call, vx } = await open({ limits: { requestsPerMinute: 0, maxBodyBytes: 1000 } });
    const { fields } = vectorSchema(3);
    const batch = (first: number, zero: boolean) =>
      new Table({
        id: vectorFromArray(
          Array.from({ length: 500 }, (_, at) => BigInt(first + at)),
          fields[0]?.type,
        ),
        vector: vectorFromArray(Array(500).fill(zero ? [0, 0, 0] : [1, 2, 3]), fields[1]?.type),
      });
    const send = (table: Table) =>
      call("/vectors/arrow", {
        method: "POST",
        headers: { "content-type": "application/vnd.apache.arrow.stream" },
        body: new Uint8Array(tableToIPC(table, "stream")),
      });
    const sound = batch(0, false).concat(batch(500, false));
    expect(sound.batches).toHaveLength(2);
    expect(await (await send(sound)).json()).toEqual({ success: true, count: 1000 });
    const refused = await send(batch(2000, false).concat(batch(3000, true)));
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { code: "invalid_vector" } },
    ]);
    expect((await vx.index.collectMetrics()).vector_count).toBe(1500);
  });

  it("lists a hundred vectors where nobody says how many", async () => {
    const { post, call, vx } = await open();
    await post("/vectors/batch", batchOf(101));
    const page = (await (await call("/vectors")).json()) as { vectors: object[]; total: number };
    expect([page.vectors.length, page.total]).toEqual([100, 101]);
    expect((await vx.index.list()).records).toHaveLength(100);
  });

  it.each([LISTED_VECTORS_AT_ONCE, LISTED_VECTORS_AT_ONCE + 2])(
    "lists vectors without the first %i, which were deleted since their ids were read",
    async (deleted) => {
      const { post, call, vx } = await open();
      const count = LISTED_VECTORS_AT_ONCE + 2;
      await post("/vectors/batch", batchOf(count));
      const list = vx.index.list.bind(vx.index);
      vi.spyOn(vx.index, "list").mockImplementationOnce(async (...range) => {
        const page = await list(...range);
        for (const { id } of page.records.slice(0, deleted)) await vx.index.delete(id);
        return page;
      });
      const page = (await (await call("/vectors?vectors=true")).json()) as { vectors: object[] };
      expect(page.vectors).toHaveLength(count - deleted);
    },
  );

  it("takes page_size where pageSize is given as well", async () => {
    const { post } = await open();
    await post("/vectors/batch", batchOf(5));
    const answer = await post("/search", { vector: [1, 0, 0], page_size: 2, pageSize: 3 });
    expect(((await answer.json()) as { results: object[] }).results).toHaveLength(2);
  });

  it("takes as many queries at once, and results of all of them, as it says", async () => {
    const { post } = await open();
    await post("/vectors/batch", batchOf(1));
    const search = async (count: number, k: number) => {
      const answer = await post("/search/multi", { vectors: Array(count).fill([1, 0, 0]), k });
      const { results, error } = (await answer.json()) as { results?: object[]; error?: { message: string } };
      return results?.length ?? error?.message;
    };
    expect(await search(MAX_QUERY_VECTORS, 1)).toBe(MAX_QUERY_VECTORS);
    expect(await search(MAX_QUERY_VECTORS + 1, 1)).toBe("vectors: must have at most 10000 entries");
    const most = MAX_MULTI_RESULTS / MAX_K;
    expect(await search(most, MAX_K)).toBe(most);
    expect(await search(most + 1, MAX_K)).toBe("Queries times k may be 1000000 at most");
  });

  it("has no longer answer to several queries than a string may be", async () => {
    const longest = { id: Number.MAX_SAFE_INTEGER, distance: Math.fround(1.1754942e-38), metadata: {} };
    const { length } = `[${resultText(longest)}]`;
    expect(MAX_ANSWER_CHARS + MAX_MULTI_RESULTS * length).toBeLessThan(constants.MAX_STRING_LENGTH);
  });

  it("names a backup whose folder cannot be made, and no folder of the machine", async () => {
    const { post } = await open();
    await post("/admin/backup", { path: "first.zip" });
    const refused = await post("/admin/backup", { path: "first.zip/next.zip" });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        error: {
          code: "invalid_request",
          message: "The folder of the backup next.zip cannot be made or written to",
        },
      },
    ]);
  });

  it("deletes no backup that another goes on from", async () => {
    const { call, post } = await open({}, "disk");
    await post("/vectors/batch", batchOf(2));
    expect((await post("/admin/backup", { path: "first.zip" })).status).toBe(200);
    await post("/vectors/batch", batchOf(4));
    const next = { path: "next.zip", incremental: true };
    expect(await (await post("/admin/backup", next)).json()).toMatchObject({ incremental: true });
    const remove = (name: string) => call(`/admin/backups/${name}`, { method: "DELETE" });
    const refused = await remove("first.zip");
    expect([refused.status, await refused.json()]).toMatchObject([409, { error: { code: "conflict" } }]);
    const restored = await post("/admin/restore", { path: "next.zip" });
    expect(await restored.json()).toMatchObject({ vector_count: 4 });
    expect((await remove("next.zip")).status).toBe(200);
    expect((await remove("first.zip")).status).toBe(200);
  });

  it("makes a whole backup unless it is asked for what has changed, and packs it as it is told", async () => {
    const { post } = await open({}, "disk");
    await post("/vectors/batch", batchOf(200));
    const make = async (body: object) =>
      (await (await post("/admin/backup", body)).json()) as { incremental: boolean; size_bytes: number };
    const [packed, loose] = [await make({ compress: true }), await make({ compress: false })];
    expect([packed.incremental, loose.incremental]).toEqual([false, false]);
    expect(packed.size_bytes).toBeLessThan(loose.size_bytes);
  });

  it("keeps no uploaded backup under a name that hides it or leads elsewhere, nor bytes of another type", async () => {
    const { call } = await open();
    const put = async (name: string, type = "application/zip") => {
      const init = { method: "PUT", headers: { "content-type": type }, body: "no archive" };
      return (await call(`/admin/backups/${name}`, init)).status;
    };
    const longest = `${"n".repeat(MAX_BACKUP_NAME_CHARS - 4)}.zip`;
    // What may be kept is looked at, and is no archive.
    for (const name of ["a.zip", "_a-1.b.zip", longest]) expect(await put(name), name).toBe(422);
    for (const name of [".a.zip", "a%20b.zip", "..%2Fa.zip", "a%5Cb.zip", "a.zipp", "a", `n${longest}`]) {
      expect(await put(name), name).toBe(400);
    }
    for (const type of ["application/zipped", "x-application/zip", "text/plain"]) {
      expect(await put("a.zip", type), type).toBe(415);
    }
    expect((await call("/admin/backups/.a.zip")).status).toBe(400);
    expect((await call(`/admin/backups/n${longest}`)).status).toBe(400);
    expect((await call(`/admin/backups/${longest}`)).status).toBe(404);
  });

  it("knows the media type of Arrow however it is spelt", async () => {
    const { call } = await open();
    for (const type of ["Application/Vnd.Apache.Arrow.Stream", "application/vnd.apache.arrow.stream ; x=1"]) {
      const init = { method: "POST", headers: { "content-type": type }, body: "no stream" };
      expect((await call("/vectors/arrow", init)).status, type).toBe(400);
    }
  });

  it.each([
    ["/vectors/batch", "application/json", LONG_BODIES_AT_ONCE],
    ["/vectors/arrow", "application/vnd.apache.arrow.stream", ARROW_STREAMS_AT_ONCE],
  ])("reads so many long bodies of %s at once, and the next once one is over", async (path, type, atOnce) => {
    const { call } = await open();
    const begun: (() => void)[] = [];
    const bodies = Array.from({ length: atOnce + 1 }, () => {
      const pull = (body: ReadableStreamDefaultController) =>
        new Promise<void>((resolve) => {
          begun.push(() => {
            body.close();
            resolve();
          });
        });
      return new ReadableStream({ pull }, { highWaterMark: 0 });
    });
    const answers = bodies.map((body) =>
      call(path, { method: "POST", headers: { "content-type": type }, body, duplex: "half" } as RequestInit),
    );
    await expect.poll(() => begun.length).toBe(atOnce);
    // A short one waits for none of them.
    const init = { method: "POST", headers: { "content-type": type, "content-length": "1" }, body: "x" };
    expect((await call(path, init)).status).toBe(400);
    expect(begun).toHaveLength(atOnce);
    begun[0]?.();
    expect((await answers[0])?.status).toBe(400);
    await expect.poll(() => begun.length).toBe(atOnce + 1);
    for (const end of begun.slice(1)) end();
    await Promise.all(answers);
  });

  it("makes a backup that can be restored while an older one is to be deleted", async () => {
    const { call, post } = await open({}, "disk");
    await post("/vectors/batch", batchOf(2));
    await post("/admin/backup", { path: "first.zip" });
    await post("/vectors/batch", batchOf(4));
    const [made, removed] = await Promise.all([
      post("/admin/backup", { path: "next.zip", incremental: true }),
      call("/admin/backups/first.zip", { method: "DELETE" }),
    ]);
    const { incremental } = (await made.json()) as { incremental: boolean };
    expect(removed.status).toBe(incremental ? 409 : 200);
    expect((await post("/admin/restore", { path: "next.zip" })).status).toBe(200);
  });

  it("counts its requests apart from the node's, and only if told to", async () => {
    const limits = { requestsPerMinute: 1, vxRequestsPerMinute: 2, maxBodyBytes: 1000 };
    const { call } = await open({ limits });
    expect((await call("/api/v1/node/info")).status).toBe(200);
    expect((await call("/api/v1/node/info")).status).toBe(429);
    expect((await call("/vectors")).headers.get("ratelimit")).toMatch(/^"default";r=1;/);
    expect((await call("/vectors")).status).toBe(200);
    const refused = await call("/vectors");
    expect([refused.status, await refused.json()]).toMatchObject([429, { error: { code: "rate_limited" } }]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await call("/health")).status).toBe(200);

    const free = await open({ limits: { requestsPerMinute: 1, maxBodyBytes: 1000 } });
    for (const _again of [1, 2, 3]) expect((await free.call("/vectors")).status).toBe(200);
  });

  it("runs without a node, whose routes are then 404 and say why", async () => {
    const vx = await openVx();
    onTestFinished(() => vx.close());
    const { call } = openInProcess({ vx, node: undefined } as unknown as Partial<ApiPorts>);
    expect((await call("/vectors")).status).toBe(200);
    const info = await call("/api/v1/node/info");
    expect([info.status, await info.json()]).toEqual([
      404,
      { error: true, code: 404, message: "No such path: the vector index alone runs here" },
    ]);
    expect(await (await call("/metrics")).text()).toMatch(/^# HELP shoal_build_info/);
    const document = (await (await call("/api/v1/openapi.json")).json()) as { paths: object };
    expect(Object.keys(document.paths)).toContain("/search/negatives");
    expect(Object.keys(document.paths)).not.toContain("/api/v1/files");
  });

  it("answers unavailable once the index is closed", async () => {
    const vx = await openVx();
    const { call } = openInProcess({ vx });
    const post = (path: string, body: object) =>
      call(path, { method: "POST", headers: json, body: JSON.stringify(body) });
    await vx.close();
    const answer = await post("/search", { vector: [1, 0, 0] });
    expect([answer.status, await answer.json()]).toMatchObject([503, { error: { code: "unavailable" } }]);
  });
});
