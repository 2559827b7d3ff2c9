/** The index against hostile requests: SQL, metadata and paths as strangers would send them. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test, vi } from "vitest";
import { processorMs } from "../../processor-time.ts";
import { openInProcess } from "../in-process.ts";
import { type OpenedVx, openVx } from "../open-vx.ts";

let vx: OpenedVx;
let call: ReturnType<typeof openInProcess>["call"];

beforeAll(async () => {
  vx = await openVx();
  ({ call } = openInProcess({ vx }));
  const vectors = [1, 2, 3].map((id) => ({
    id,
    vector: [id, 1, 0],
    metadata: { n: id, name: "a".repeat(1000) },
  }));
  expect((await send("/vectors/batch", { vectors })).status).toBe(200);
});
afterAll(() => vx.close());

async function send(
  path: string,
  body: unknown,
): Promise<{ status: number; code: string | undefined; body: unknown }> {
  const response = await call(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as { error?: { code: string } };
  return { status: response.status, code: answer.error?.code, body: answer };
}

/** Nothing was lost, and the index still answers. */
async function expectUnharmed(): Promise<void> {
  const { body } = await send("/search/hybrid", { vector: [1, 1, 0], filter: "n > 0" });
  expect((body as { results: object[] }).results).toHaveLength(3);
}

const longList = Array.from({ length: 200_000 }, (_, n) => n).join(",");

test("a list of too many vectors is refused where it gets too long, and what follows is not read", async () => {
  for (const [path, field] of [
    ["/search/multi", "vectors"],
    ["/search/negatives", "negative_vectors"],
    ["/reduce", "vectors"],
  ] as const) {
    const { status, body } = await send(path, `{"${field}":[${"[],".repeat(10_001)} and no JSON`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { message: `${field}: must have at most 10000 entries` } });
  }
});

test("vectors that are reduced to more numbers than an answer holds are refused", async () => {
  const reduced: Float32Array[] = Array(10_000).fill(new Float32Array(2000));
  vi.spyOn(vx.index, "reduceVectors").mockResolvedValue(reduced);
  const message = "One answer may bring 16777216 numbers: ask for fewer vectors at a time";
  expect(await send("/reduce", { vectors: [] })).toMatchObject({
    status: 400,
    body: { error: { code: "invalid_request", message } },
  });
});

describe("SQL from strangers", () => {
  it.each([
    ["a second statement", "1; DELETE FROM metadata"],
    ["a comment that hides the rest", "1 -- "],
    ["a comment over what follows", "1 /*"],
    ["a closed parenthesis", "1) OR (1=1"],
    ["ATTACH", "1; ATTACH DATABASE '/tmp/x' AS x"],
    ["PRAGMA", "n IN (PRAGMA table_info(metadata))"],
    ["load_extension", "load_extension('/tmp/x.so')"],
    ["writefile", "writefile('/tmp/x', 'y')"],
    ["readfile", "readfile('/etc/passwd') IS NOT NULL"],
    ["a subselect", "n = (SELECT max(n) FROM metadata)"],
    ["deep nesting", `${"(".repeat(5000)}1${")".repeat(5000)}`],
    ["an unfinished text", "name = 'a"],
    ["NUL", "n = 1\0"],
    ["an aggregate", "count(*) > 0"],
    ["a window", "row_number() OVER () > 0"],
  ])("as a filter: refuses %s", async (_what, filter) => {
    expect(await send("/search/hybrid", { vector: [1, 0, 0], filter })).toMatchObject({
      status: 400,
      code: "invalid_query",
    });
    await expectUnharmed();
  });

  it.each([
    [
      "a recursion without end",
      "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
    ],
    [
      "a cross join",
      `SELECT count(*) FROM ${Array.from({ length: 30 }, (_, n) => `metadata m${n}`).join(", ")}`,
    ],
    ["a huge text", "SELECT printf('%.*c', 2000000000, 'x')"],
    ["a huge blob", "SELECT length(zeroblob(2000000000))"],
    ["repeated doubling", `SELECT length(${"replace(".repeat(40)}'aa'${",'a','aa')".repeat(40)})`],
    ["the schema", "SELECT sql FROM sqlite_schema"],
    ["a write", "INSERT INTO metadata VALUES (1)"],
    ["a table of pragmas", "SELECT * FROM pragma_database_list"],
    ["a file", "SELECT readfile('/etc/passwd')"],
  ])("as a query: stops or refuses %s", async (_what, query) => {
    expect(await send("/metadata/query", { query })).toMatchObject({ status: 400, code: "invalid_query" });
    await expectUnharmed();
  });

  it("with patterns that blow up, or long lists, ends within the limit", async () => {
    const pattern = `${"%a".repeat(5000)}%b`;
    for (const filter of [
      `name LIKE '${pattern}'`,
      `name GLOB '${"*a".repeat(500)}b'`,
      `n IN (${longList})`,
    ]) {
      const { status, code } = await send("/search/hybrid", { vector: [1, 0, 0], filter });
      expect(status === 200 || code === "invalid_query").toBe(true);
      await expectUnharmed();
    }
  });
});

test("an id of a hundred thousand digits is refused at once", async () => {
  const id = `0.${"0".repeat(100_000)}1`;
  const tookMs = await processorMs(async () => {
    const refused = await send("/vectors", `{"id":${id},"vector":[1,0,0]}`);
    expect(refused).toMatchObject({ status: 400, code: "invalid_id" });
  });
  expect(tookMs).toBeLessThan(2000);
  await expectUnharmed();
});

describe("metadata from strangers", () => {
  it("keeps odd keys apart and to the letter", async () => {
    const metadata = {
      "": 1,
      id: "not the id",
      constructor: "x",
      toString: null,
      'quo"te': 2,
      "semi;colon": 3,
      A: 4,
      a: 5,
      "a\u0000b": 6,
    };
    expect((await send("/vectors", { id: 50, vector: [0, 0, 1], metadata })).status).toBe(200);
    expect(((await (await call("/vectors/50")).json()) as { metadata: object }).metadata).toEqual(metadata);
    const filter = `"quo""te" = 2 AND "semi;colon" = 3 AND A = 4 AND a = 5 AND id = 50`;
    expect((await send("/search/hybrid", { vector: [0, 0, 1], filter })).body).toMatchObject({
      results: [{ id: 50 }],
    });
    await call("/vectors/50", { method: "DELETE" });
  });

  it("takes 10,000 different keys and strings of a megabyte", async () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key ${n}`, n]));
    expect((await send("/vectors", { id: 51, vector: [0, 0, 1], metadata: many })).status).toBe(200);
    const long = { [`k${"x".repeat(1000)}`]: "y".repeat(1_000_000) };
    expect((await send("/vectors", { id: 52, vector: [0, 0, 1], metadata: long })).status).toBe(200);
    const found = await send("/search/hybrid", { vector: [0, 0, 1], filter: `"key 9999" = 9999` });
    expect(found.body).toMatchObject({ results: [{ id: 51 }] });
    expect(((await (await call("/vectors/52")).json()) as { metadata: object }).metadata).toEqual(long);
    for (const id of [51, 52]) await call(`/vectors/${id}`, { method: "DELETE" });
  });

  it("pollutes no prototype", async () => {
    const bodies = [
      '{"__proto__":{"polluted":1}}',
      '{"a":{"__proto__":{"polluted":1}}}',
      '{"\\u005f_proto__":{"polluted":1}}',
    ];
    for (const metadata of bodies) {
      const body = `{"id":60,"vector":[1,0,0],"metadata":${metadata}}`;
      expect(await send("/vectors", body)).toMatchObject({ status: 400, code: "invalid_request" });
    }
    const inert = '{"id":60,"vector":[1,0,0],"metadata":{"constructor":{"prototype":{"polluted":1}}}}';
    expect((await send("/vectors", inert)).status).toBe(200);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    await call("/vectors/60", { method: "DELETE" });
  });

  it("in facets is compared, never run", async () => {
    for (const facets of [{ "name' OR '1'='1": "x" }, { name: "' OR '1'='1" }, { 'n") OR ("1': "1" }]) {
      expect((await send("/search/faceted", { vector: [1, 0, 0], facets })).body).toEqual({ results: [] });
    }
    await expectUnharmed();
  });
});

describe("paths of backups from strangers", () => {
  it("lead nowhere else, not even by links in the folder", async () => {
    const outside = join(vx.backupPath, "..", "outside");
    await mkdir(outside);
    await writeFile(join(outside, "secret.zip"), "secret");
    await symlink(outside, join(vx.backupPath, "link"));
    await symlink(join(outside, "secret.zip"), join(vx.backupPath, "linked.zip"));
    for (const path of [
      "link/new.zip",
      "link/secret.zip",
      "linked.zip",
      join(outside, "secret.zip"),
      "/proc/self/environ",
    ]) {
      for (const route of ["/admin/backup", "/admin/restore"]) {
        expect(await send(route, { path }), path).toMatchObject({ status: 403, code: "forbidden" });
      }
    }
    for (const name of [
      "linked.zip",
      "link",
      "..%2Foutside%2Fsecret.zip",
      "%2Fetc%2Fpasswd",
      ".hidden.zip",
      "a%00.zip",
    ]) {
      const download = await call(`/admin/backups/${name}`);
      expect([400, 403], name).toContain(download.status);
      expect(await download.text()).not.toContain("secret\n");
      const headers = { "content-type": "application/zip" };
      const upload = await call(`/admin/backups/${name}`, { method: "PUT", headers, body: "evil" });
      expect([400, 403], name).toContain(upload.status);
    }
    const { backups } = (await (await call("/admin/backups")).json()) as { backups: { name: string }[] };
    expect(backups.map(({ name }) => name)).not.toContain("linked.zip");
  });
});
