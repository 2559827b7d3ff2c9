/** Bytes of files: ranges, validators, safety, tickets. Part of the conformance suite. */
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { type Caller, nodeError } from "./caller.ts";
import { MIB } from "./known.ts";

export function describeContent({ anonymous, call, post, documented, refused, share }: Caller): void {
  describe("content", () => {
    const bytes = randomBytes(2 * MIB + 100);
    let fileId: string;
    beforeAll(async () => {
      fileId = await share("content.bin", bytes);
    });
    const content = (headers: Record<string, string> = {}, method = "GET") =>
      call(`/api/v1/files/${fileId}/content`, { method, headers });
    const taken = async (response: Response) => Buffer.from(await response.arrayBuffer());

    it("sends the bytes with length, validator and a name", async () => {
      const response = await content();
      expect(response.status).toBe(200);
      expect(response.headers.get("content-length")).toBe(String(bytes.length));
      expect(response.headers.get("accept-ranges")).toBe("bytes");
      expect(response.headers.get("etag")).toBe(`"${fileId}"`);
      expect(response.headers.get("content-disposition")).toContain("attachment");
      // A copy that others share, or that is not asked after, would outlive the key.
      expect(response.headers.get("cache-control")).toBe("private, no-cache");
      expect((await taken(response)).equals(bytes)).toBe(true);
    });

    it("answers HEAD with the headers of all bytes and no body, whatever range is asked for", async () => {
      for (const headers of [{}, { range: "bytes=0-9" }]) {
        const response = await content(headers, "HEAD");
        expect(response.status).toBe(200);
        expect(response.headers.get("content-length")).toBe(String(bytes.length));
        expect(await response.text()).toBe("");
      }
    });

    it.each([
      ["bytes=0-0", 0, 1],
      ["bytes=5-1048580", 5, 1048581],
      ["bytes=2097152-", 2097152, bytes.length],
      ["bytes=-10", bytes.length - 10, bytes.length],
      ["bytes=-99999999", 0, bytes.length],
      ["bytes=10-99999999", 10, bytes.length],
    ])("answers Range %s with 206", async (range, start, end) => {
      const response = await content({ range });
      expect(response.status).toBe(206);
      expect(response.headers.get("content-range")).toBe(`bytes ${start}-${end - 1}/${bytes.length}`);
      expect(response.headers.get("content-length")).toBe(String(end - start));
      expect((await taken(response)).equals(bytes.subarray(start, end))).toBe(true);
    });

    it.each(["bytes=99999999-", "bytes=-0"])("answers Range %s with 416 and the size", async (range) => {
      const response = await content({ range });
      expect(response.headers.get("content-range")).toBe(`bytes */${bytes.length}`);
      expect(await refused(Promise.resolve(response))).toMatchObject(nodeError(416));
    });

    it.each(["bytes=5-2", "bytes=a-b", "lines=1-2", "bytes=-"])(
      "takes no notice of Range %s",
      async (range) => {
        const response = await content({ range });
        expect(response.status).toBe(200);
        await response.body?.cancel();
      },
    );

    it("honours If-Range only for the bytes that are here", async () => {
      expect((await content({ range: "bytes=0-9", "if-range": `"${fileId}"` }, "GET")).status).toBe(206);
      for (const etag of ['"other"', `W/"${fileId}"`]) {
        const other = await content({ range: "bytes=0-9", "if-range": etag });
        expect(other.status, etag).toBe(200);
        await other.body?.cancel();
      }
    });

    it("gives bytes only to a reader whose If-Match names them", async () => {
      for (const etag of [`"${fileId}"`, "*", `"x", "${fileId}"`]) {
        const response = await content({ "if-match": etag, range: "bytes=0-9" });
        expect(response.status, etag).toBe(206);
        await response.body?.cancel();
      }
      for (const etag of ['"other"', `W/"${fileId}"`, fileId, ""]) {
        const conditions = { "if-match": etag, "if-none-match": "*", range: "bytes=0-9" };
        expect(await refused(content(conditions)), etag).toEqual(nodeError(412));
        expect((await content(conditions, "HEAD")).status, etag).toBe(412);
      }
    });

    it("answers 304 to a reader that has the bytes", async () => {
      for (const etag of [`"${fileId}"`, `W/"${fileId}"`, "*", `"x", "${fileId}"`]) {
        const response = await content({ "if-none-match": etag });
        expect(response.status).toBe(304);
        expect(response.headers.get("cache-control")).toBe("private, no-cache");
        expect(await response.text()).toBe("");
      }
      expect((await content({ "if-none-match": `"x", ${fileId}` }, "HEAD")).status).toBe(200);
    });

    it("never lets shared HTML or SVG run on this origin", async () => {
      for (const name of ["page.html", "image.svg", "page.xhtml", "feed.xml", "no-extension"]) {
        const id = await share(name, randomBytes(20));
        const { headers } = await call(`/api/v1/files/${id}/content`, { method: "HEAD" });
        expect(headers.get("content-type")).toBe("application/octet-stream");
        expect(headers.get("content-disposition")).toMatch(/^attachment;/);
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("content-security-policy")).toContain("sandbox");
        expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
        expect(headers.get("cross-origin-embedder-policy")).toBe("require-corp");
      }
    });

    it("shows known safe media in place", async () => {
      const id = await share("film.mp4", randomBytes(20));
      const { headers } = await call(`/api/v1/files/${id}/content`, { method: "HEAD" });
      expect(headers.get("content-type")).toBe("video/mp4");
      expect(headers.get("content-disposition")).toMatch(/^inline;/);
      for (const [download, kind] of [
        ["true", /^attachment;/],
        ["false", /^inline;/],
      ] as const) {
        const path = `/api/v1/files/${id}/content?download=${download}`;
        const asked = await call(path, { method: "HEAD" });
        expect(asked.headers.get("content-disposition")).toMatch(kind);
      }
    });

    it("streams to a reader without a key by ticket, for that one file", async () => {
      const { status, body } = await documented(
        "POST /api/v1/tickets",
        post("/api/v1/tickets", { file_id: fileId }),
      );
      expect(status).toBe(201);
      expect(body.url).toMatch(/^\/api\/v1\/stream\/[\w-]{22}$/);
      const response = await anonymous(body.url, { headers: { range: "bytes=0-99" } });
      expect(response.status).toBe(206);
      expect((await taken(response)).equals(bytes.subarray(0, 100))).toBe(true);
      expect((await anonymous(body.url, { method: "HEAD" })).status).toBe(200);
      expect((await anonymous(body.url, { method: "DELETE" })).status).toBe(405);
      expect(await refused(anonymous("/api/v1/stream/AAAAAAAAAAAAAAAAAAAAAA"))).toMatchObject(nodeError(404));
      expect(await refused(post("/api/v1/tickets", { file_id: "no-cid" }))).toMatchObject(nodeError(400));
    });
  });
}
