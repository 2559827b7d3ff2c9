/** What the index refuses, and with which code. Part of the conformance suite. */
import { expect, it } from "vitest";
import { bodyOf, vxError } from "./caller.ts";
import type { VxCaller } from "./vx-caller.ts";

export function describeVxRefusals({
  call,
  host,
  refused,
  vector,
  add,
  refuses,
  isDocumented,
  describeIndex,
}: VxCaller): void {
  const sent = (path: string, body: string | Uint8Array<ArrayBuffer>, type = "application/json") =>
    call(path, { method: "POST", headers: { "content-type": type }, body });

  describeIndex("what the index refuses", () => {
    it("names both dimensions of a vector of another", async () => {
      const expected = `Vector dimension mismatch: expected ${vector().length}, got 2`;
      for (const [path, body] of [
        ["/vectors", { id: 1, vector: [1, 2] }],
        ["/vectors/batch", { vectors: [{ id: 1, vector: [1, 2] }] }],
        ["/search", { vector: [1, 2] }],
        ["/search/multi", { vectors: [vector(1), [1, 2]] }],
        ["/search/negatives", { positive_vector: vector(1), negative_vectors: [[1, 2]] }],
      ] as const) {
        expect(await refuses(path, body, 400, "dimension_mismatch")).toBe(expected);
      }
    });

    it.each([
      "-1",
      "1.5",
      "9007199254740992",
      "9007199254740993",
      "1e300",
      '"1"',
      "null",
      "true",
      "[1]",
      "1.0000000000000000001",
    ])("refuses the id %s", async (id) => {
      const record = `{"id":${id},"vector":${JSON.stringify(vector(1))}}`;
      expect(await refused(sent("/vectors", record))).toMatchObject(vxError(400, "invalid_id"));
      expect(await refused(sent("/vectors/batch", `{"vectors":[${record}]}`))).toMatchObject(
        vxError(400, "invalid_id"),
      );
      expect((await bodyOf(call("/vectors"))).total).toBe(0);
    });

    it.each([
      ...["-1", "1.5", "9007199254740992", "x", "%20", "0x1"],
      ...["1.0", "1e0", "01", "+1", "-0", "1%20"],
    ])("refuses the id %s in a path", async (id) => {
      expect(await refused(call(`/vectors/${id}`))).toMatchObject(vxError(400, "invalid_id"));
      expect(await refused(call(`/vectors/${id}`, { method: "DELETE" }))).toMatchObject(
        vxError(400, "invalid_id"),
      );
    });

    it.each(["null", '"1"', "true", "[1]", "{}", "1e39", "-1e39", "1e38,1e38,1e38"])(
      "refuses a vector with %s",
      async (element) => {
        const count = element.split(",").length;
        const numbers = `[${[element, ...vector(1).slice(count)].join(",")}]`;
        for (const [path, body] of [
          ["/vectors", `{"id":1,"vector":${numbers}}`],
          ["/vectors/batch", `{"vectors":[{"id":1,"vector":${numbers}}]}`],
          ["/search", `{"vector":${numbers}}`],
          ["/search/hybrid", `{"vector":${numbers},"filter":"1"}`],
          ["/search/faceted", `{"vector":${numbers},"facets":{}}`],
          ["/search/multi", `{"vectors":[${numbers}]}`],
          ["/search/negatives", `{"positive_vector":${numbers},"negative_vectors":[]}`],
          [
            "/search/negatives",
            `{"positive_vector":${JSON.stringify(vector(1))},"negative_vectors":[${numbers}]}`,
          ],
        ] as const) {
          expect(await refused(sent(path, body)), path).toMatchObject(vxError(400, "invalid_vector"));
        }
      },
    );

    it("refuses a vector without direction, and one that is no array", async () => {
      for (const wrong of [vector(0), "1,0,0", { 0: 1 }, 1, null]) {
        await refuses("/vectors", { id: 1, vector: wrong }, 400, "invalid_vector");
        await refuses("/search", { vector: wrong }, 400, "invalid_vector");
      }
    });

    it.each([0, -1, 1.5, 1e9, "1", null])("refuses k, page and page_size of %j", async (wrong) => {
      for (const field of ["k", ...(wrong === 1e9 ? [] : ["page", "page_size", "pageSize"])]) {
        for (const [path, rest] of [
          ["/search", { vector: vector(1) }],
          ["/search/hybrid", { vector: vector(1), filter: "1" }],
          ["/search/faceted", { vector: vector(1), facets: {} }],
          ["/search/negatives", { positive_vector: vector(1), negative_vectors: [] }],
        ] as const) {
          await refuses(path, { ...rest, [field]: wrong }, 400, "invalid_request");
        }
      }
      await refuses("/search/multi", { vectors: [], k: wrong }, 400, "invalid_request");
    });

    it.each([
      ["/vectors", "{}"],
      ["/vectors", '{"id":1}'],
      ["/vectors", "[]"],
      ["/vectors", "1"],
      ["/vectors/batch", "{}"],
      ["/vectors/batch", '{"vectors":{}}'],
      ["/vectors/batch", '{"vectors":[1]}'],
      ["/search", "{}"],
      ["/search", '"x"'],
      ["/search", ""],
      ["/search", '{"vector":[1'],
      ["/search", '{"vector":[NaN]}'],
      ["/search/hybrid", '{"vector":[1]}'],
      ["/search/faceted", '{"vector":[1],"facets":[]}'],
      ["/search/faceted", '{"vector":[1],"facets":{"a":{}}}'],
      ["/search/negatives", '{"positive_vector":[1],"negative_vectors":1}'],
      ["/search/multi", '{"vectors":1}'],
      ["/metadata/query", '{"query":1}'],
      ["/admin/backup", '{"path":1}'],
      ["/admin/backup", '{"incremental":"yes"}'],
      ["/admin/restore", "{}"],
      ["/search", '{"vector":[1],"__proto__":{}}'],
      ["/search", '{"k":1,"k":2}'],
      ["/search", `{"x":${"[".repeat(1000)}${"]".repeat(1000)}}`],
      ["/search", '{"k":1e999}'],
    ])("refuses for %s the body %s", async (path, body) => {
      expect(await refused(sent(path, body))).toMatchObject(vxError(400, "invalid_request"));
    });

    it.each([
      "1",
      '"a"',
      "[]",
      "[{}]",
      '{"__proto__":1}',
      '{"a":{"\\u005f_proto__":1}}',
      '{"a":1,"a":2}',
      '{"a":1e999}',
      "{]}",
    ])("refuses the metadata %s", async (metadata) => {
      const body = `{"id":1,"vector":${JSON.stringify(vector(1))},"metadata":${metadata}}`;
      expect(await refused(sent("/vectors", body))).toMatchObject(vxError(400, "invalid_request"));
      expect((await bodyOf(call("/vectors"))).total).toBe(0);
    });

    it("names the record of a batch whose metadata is no object", async () => {
      const vectors = [{}, []].map((metadata, id) => ({ id, vector: vector(1), metadata }));
      const message = await refuses("/vectors/batch", { vectors }, 400, "invalid_request");
      expect(message).toBe("vectors[1].metadata: must be an object");
    });

    it("says which number is out of range", async () => {
      const numbers = JSON.stringify(vector(1)).slice(1, -1);
      const long = `1${"0".repeat(400)}`;
      for (const [number, said] of [
        ["1e400", "1e400"],
        ["-1.5E+999", "-1.5E+999"],
        [long, `${long.slice(0, 64)}…`],
      ] as const) {
        for (const [path, body] of [
          ["/vectors", `{"id":1,"vector":[${numbers}],"metadata":{"a":[${number}]}}`],
          ["/vectors/batch", `{"vectors":[{"id":1,"vector":[${numbers}],"metadata":{"a":${number}}}]}`],
          ["/search", `{"vector":[${numbers}],"k":${number}}`],
        ] as const) {
          const error = { code: "invalid_request", message: `JSON number ${said} is out of range` };
          expect(await refused(sent(path, body))).toEqual({ status: 400, body: { error } });
        }
      }
    });

    it.each(["1e39", "-3.4028236e38", `1${"0".repeat(40)}`, "1e400", "-1.5E+999"])(
      "says that %s in a vector is out of range",
      async (number) => {
        const error = { code: "invalid_vector", message: `JSON number ${number} is out of range` };
        for (const [path, body] of [
          ["/vectors", `{"id":1,"vector":[${number}]}`],
          ["/vectors/batch", `{"vectors":[{"id":1,"vector":[0,${number}]}]}`],
          ["/search", `{"vector":[${number}]}`],
          ["/search/multi", `{"vectors":[[${number}]]}`],
          ["/search/negatives", `{"positive_vector":[${number}],"negative_vectors":[]}`],
        ] as const) {
          expect(await refused(sent(path, body))).toEqual({ status: 400, body: { error } });
        }
      },
    );

    it("says what is wrong with a body that is a list, and with a facet that is no value", async () => {
      for (const path of [
        "/search",
        "/search/hybrid",
        "/search/multi",
        "/search/negatives",
        "/search/faceted",
      ]) {
        expect(await refuses(path, [], 400, "invalid_request")).toBe("The body: must be an object");
      }
      const facets = { vector: vector(1), facets: { n: [1] } };
      expect(await refuses("/search/faceted", facets, 400, "invalid_request")).toBe(
        "facets.n: must be a text, a number, true or false",
      );
    });

    it("names the route of a filter, facets or negatives that another one would pass over", async () => {
      const narrowing = { filter: "n = 1", facets: { n: "1" }, negative_vectors: [vector(2)] };
      const own: Record<string, string[]> = {
        "/search": [],
        "/search/multi": [],
        "/search/hybrid": ["filter"],
        "/search/faceted": ["facets"],
        "/search/negatives": ["negative_vectors"],
      };
      for (const [path, taken] of Object.entries(own)) {
        const fields = Object.entries(narrowing);
        const body = {
          ...{ vector: vector(1), positive_vector: vector(1), vectors: [vector(1)] },
          ...Object.fromEntries(fields.filter(([field]) => taken.includes(field))),
        };
        for (const [field, value] of fields.filter(([field]) => !taken.includes(field))) {
          const message = await refuses(path, { ...body, [field]: value }, 400, "invalid_request");
          expect(message).toMatch(new RegExp(`^${field}: is not of this route, but of POST /search/[a-z]+$`));
        }
        const absent = Object.fromEntries(fields.map(([field]) => [field, null]));
        expect((await sent(path, JSON.stringify({ ...absent, ...body }))).status).toBe(200);
      }
    });

    it("says what is meant by a field that it would pass over, and passes over others", async () => {
      const record = { id: 1, vector: vector(1) };
      const means = (path: string, body: object) => refuses(path, body, 400, "invalid_request");
      expect(await means("/search", { ...record, top_k: 1 })).toBe("top_k: is not taken here, but k is");
      expect(await means("/search", { ...record, where: "1" })).toBe(
        "where: is not taken here, but filter by POST /search/hybrid is",
      );
      expect(await means("/vectors", { ...record, meta: {} })).toBe(
        "meta: is not taken here, but metadata is",
      );
      expect(await means("/vectors", { ...record, metadata: null, meta: {} })).toBe(
        "meta: is not taken here, but metadata is",
      );
      expect(await means("/vectors/batch", { vectors: [record, { ...record, metdata: {} }] })).toBe(
        "vectors[1].metdata: is not taken here, but metadata is",
      );
      for (const [path, body] of [
        ["/search", { ...record, k: 1, top_k: 1, limit: null, include_metadata: true }],
        ["/vectors/batch", { vectors: [{ ...record, metadata: {}, meta: {}, name: "one" }] }],
      ] as const) {
        expect((await sent(path, JSON.stringify(body))).status).toBe(200);
      }
    });

    it.each([
      "n = ",
      "1); DROP TABLE metadata; --",
      "1) OR (1",
      "id IN (SELECT id FROM metadata)",
      "load_extension('x')",
      "id = 1; SELECT 1",
      "",
    ])("refuses the filter %j", async (filter) => {
      await refuses("/search/hybrid", { vector: vector(1), filter }, 400, "invalid_query");
    });

    it.each([
      "DELETE FROM metadata",
      "SELECT 1; SELECT 2",
      "ATTACH 'x' AS y",
      "PRAGMA user_version",
      "SELECT * FROM sqlite_master",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
      "SELECT writefile('x', 'y')",
      "VACUUM INTO 'x'",
      "",
    ])("refuses the query %j", async (query) => {
      await add({ id: 1, vector: vector(1) });
      await refuses("/metadata/query", { query }, 400, "invalid_query");
      expect((await bodyOf(call("/vectors"))).total).toBe(1);
    });

    it("refuses to reduce, and to refit a model, where reduction is off", async () => {
      await refuses("/reduce", { vectors: [vector(1)] }, 409, "reduction_disabled");
      await refuses("/reduce", { vectors: [] }, 409, "reduction_disabled");
      await refuses("/admin/refit", {}, 409, "reduction_disabled");
      expect(await bodyOf(call("/admin/metrics"))).toMatchObject({ reduced_dimension: 0, fit_progress: 0 });
    });

    it("takes each route's media type alone", async () => {
      for (const path of ["/vectors", "/vectors/arrow", "/search", "/admin/restore"]) {
        expect(await refused(sent(path, "{}", "text/plain"))).toMatchObject(
          vxError(415, "unsupported_media_type"),
        );
      }
    });

    it.each([
      ["POST", "/vectors/arrow", "application/vnd.apache.arrow.stream"],
      ["PUT", "/admin/backups/packed.vxb", "application/zip"],
      ["POST", "/search", "application/json"],
    ])("takes no packed body: %s %s", async (method, path, type) => {
      const headers = { "content-type": type, "content-encoding": "gzip" };
      const answer = call(path, { method, headers, body: Uint8Array.of(31, 139, 8) });
      expect(await refused(answer)).toMatchObject(vxError(415, "unsupported_media_type"));
    });

    it("refuses what is no Arrow, or breaks off", async () => {
      const bytes = [
        [],
        [0],
        [1, 2, 3, 4, 5, 6, 7, 8],
        [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
        [0xff, 0xff, 0xff, 0xff, 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8],
      ];
      for (const body of bytes) {
        const answer = sent("/vectors/arrow", Uint8Array.from(body), "application/vnd.apache.arrow.stream");
        expect(await refused(answer)).toMatchObject(vxError(400, "invalid_request"));
      }
    });

    it.each([
      ["GET", "/search", "POST"],
      ["GET", "/vectors/batch", "POST"],
      ["PUT", "/vectors", "GET, HEAD, POST"],
      ["POST", "/vectors/1", "DELETE, GET, HEAD"],
      ["POST", "/admin/backups/a.zip", "DELETE, GET, HEAD, PUT"],
    ])("answers %s %s with 405 and what is allowed", async (method, path, allow) => {
      const answer = await call(path, { method });
      expect(answer.headers.get("allow")).toBe(allow);
      expect(await refused(Promise.resolve(answer))).toMatchObject(vxError(405, "method_not_allowed"));
    });

    it("lets nobody in without a key", async () => {
      for (const [method, path] of [
        ["POST", "/search"],
        ["GET", "/vectors"],
        ["GET", "/admin/backups"],
        ["GET", "/metrics"],
      ] as const) {
        const answer = host().fetch(new Request(host().baseUrl + path, { method }));
        expect(await refused(answer)).toMatchObject(vxError(401, "unauthorized"));
      }
    });

    it.each([
      ["/search/multi", "vectors"],
      ["/search/negatives", "negative_vectors"],
      ["/reduce", "vectors"],
    ])("takes for %s as many %s as the document says", async (path, field) => {
      const asking = (count: number) => ({ positive_vector: vector(1), [field]: Array(count).fill([]) });
      expect(isDocumented(path, asking(10_000))).toBe(true);
      expect(isDocumented(path, asking(10_001))).toBe(false);
      const message = await refuses(path, asking(10_001), 400, "invalid_request");
      expect(message).toBe(`${field}: must have at most 10000 entries`);
    });

    it("refuses lists of a wrong size", async () => {
      for (const query of ["limit=0", "limit=1001", "offset=-1", "limit=x", "limit=0x10", "offset="]) {
        expect(await refused(call(`/vectors?${query}`))).toMatchObject(vxError(400, "invalid_request"));
      }
    });
  });
}
