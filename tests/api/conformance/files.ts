/** Files: sharing a path, listing, looking up, deleting. Part of the conformance suite. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { bodyOf, type Caller, nodeError } from "./caller.ts";
import { HEARD_WITHIN_MS, HELLO, ISO_UTC } from "./known.ts";

export function describeFiles({ call, post, documented, refused, share, host }: Caller): void {
  describe("files", () => {
    it("shares a path under the id that IPFS gives the bytes, and again under the same", async () => {
      const path = await host().placeFile("hello.txt", new TextEncoder().encode(HELLO.text));
      for (const _again of [1, 2]) {
        const { status, body } = await documented(
          "POST /api/v1/files/share",
          post("/api/v1/files/share", { file_path: path }),
        );
        expect(status).toBe(200);
        expect(body).toEqual({ file_id: HELLO.id, name: "hello.txt", size: 11, chunks: 1 });
      }
      const { body } = await documented("GET /api/v1/files", call("/api/v1/files"));
      expect(body.files.filter(({ id }) => id === HELLO.id)).toHaveLength(1);
    });

    it("refuses a path outside the share roots with 403", async () => {
      const answer = post("/api/v1/files/share", { file_path: host().forbiddenPath });
      expect(await refused(answer)).toMatchObject(nodeError(403));
    });

    it("pages its lists and counts all entries", async () => {
      await share("page-1.bin", randomBytes(10));
      await share("page-2.bin", randomBytes(10));
      const all = (await documented("GET /api/v1/files", call("/api/v1/files"))).body;
      const page = (await documented("GET /api/v1/files", call("/api/v1/files?limit=1&offset=1"))).body;
      expect(page.files).toEqual(all.files.slice(1, 2));
      expect(page.total).toBe(all.files.length);
      expect((await bodyOf(call("/api/v1/files?offset=100000"))).files).toEqual([]);
    });

    it("gives one file's fields under any spelling of its id", async () => {
      await share("hello.txt", new TextEncoder().encode(HELLO.text));
      for (const id of [HELLO.id, HELLO.id.toUpperCase()]) {
        const { body } = await documented("GET /api/v1/files/{file_id}", call(`/api/v1/files/${id}`));
        expect(body).toMatchObject({
          id: HELLO.id,
          name: "hello.txt",
          size: 11,
          chunks: 1,
          complete: true,
        });
        expect(body.created_at).toMatch(ISO_UTC);
      }
    });

    it("answers 404 for a file that is not here and for an id that is none", async () => {
      const absent = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
      for (const id of [absent, "no-cid", "share"]) {
        expect(await refused(call(`/api/v1/files/${id}`, { method: "DELETE" }))).toMatchObject(
          nodeError(id === "share" ? 405 : 404),
        );
      }
      expect(await refused(call(`/api/v1/files/${absent}/content`))).toMatchObject(nodeError(404));
    });

    it("deletes a file", async () => {
      const id = await share("gone.bin", randomBytes(100));
      const { status, body } = await documented(
        "DELETE /api/v1/files/{file_id}",
        call(`/api/v1/files/${id}`, { method: "DELETE" }),
      );
      expect(status).toBe(200);
      expect(body).toEqual({ success: true, message: "File deleted successfully" });
      expect(await refused(call(`/api/v1/files/${id}`))).toMatchObject(nodeError(404));
    });

    it("lists what others offer, with the peers that hold it", async () => {
      const { fileId } = await host().offerFile("offered.bin", randomBytes(2000));
      await expect
        .poll(
          async () => {
            const { body } = await documented("GET /api/v1/files/network", call("/api/v1/files/network"));
            return body.files.find(({ id }) => id === fileId);
          },
          { timeout: HEARD_WITHIN_MS },
        )
        .toMatchObject({ name: "offered.bin", size: 2000, peers: [expect.any(String)] });
    });
  });
}
