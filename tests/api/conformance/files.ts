/** Files: sharing a path, listing, looking up, deleting. Part of the conformance suite. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { bodyOf, type Caller, nodeError } from "./caller.ts";
import { HEARD_WITHIN_MS, HELLO, ISO_UTC } from "./known.ts";

export function describeFiles({ call, post, json, documented, refused, share, host }: Caller): void {
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
      for (const id of HELLO.spellings) {
        const { body } = await documented("GET /api/v1/files/{file_id}", call(`/api/v1/files/${id}`));
        expect(body).toMatchObject({
          id: HELLO.id,
          name: "hello.txt",
          size: 11,
          chunks: 1,
          complete: true,
          unlisted: false,
        });
        expect(body.created_at).toMatch(ISO_UTC);
        expect((await post("/api/v1/tickets", { file_id: id })).status).toBe(201);
      }
    });

    it("shares a file unlisted, and lists it, without its bytes again", async () => {
      const path = await host().placeFile("secret.bin", randomBytes(100));
      const shared = await bodyOf(post("/api/v1/files/share", { file_path: path, unlisted: true }));
      const place = `/api/v1/files/${shared.file_id}`;
      expect(await bodyOf(call(place))).toMatchObject({ unlisted: true });
      // Who does not say leaves it as it is.
      await bodyOf(post("/api/v1/files/share", { file_path: path }));
      expect(await bodyOf(call(place))).toMatchObject({ unlisted: true });
      for (const unlisted of [false, true, true]) {
        const { status, body } = await documented(
          "PATCH /api/v1/files/{file_id}",
          json("PATCH", place, { unlisted }),
        );
        expect(status).toBe(200);
        expect(body).toEqual(await bodyOf(call(place)));
        expect(body.unlisted).toBe(unlisted);
      }
    });

    it("refuses a change that is none, of what is not here, and of what can't be changed", async () => {
      const id = await share("changed.bin", randomBytes(100));
      for (const body of [{}, { unlisted: "yes" }, { unlisted: null }, []])
        expect(await refused(json("PATCH", `/api/v1/files/${id}`, body))).toMatchObject(nodeError(400));
      const absent = "/api/v1/files/bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
      expect(await refused(json("PATCH", absent, { unlisted: true }))).toMatchObject(nodeError(404));
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
