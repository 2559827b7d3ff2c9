/** Uploads, raw and as forms. Part of the conformance suite. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { bodyOf, type Caller } from "./caller.ts";
import { MIB } from "./known.ts";

export function describeUploads({ call, documented }: Caller): void {
  describe("uploads", () => {
    const upload = (
      body: NonNullable<RequestInit["body"]>,
      headers: Record<string, string> = {},
      query = "",
    ) => documented("POST /api/v1/files", call(`/api/v1/files${query}`, { method: "POST", body, headers }));

    it("shares a raw body under the name given, 201 first and 200 again", async () => {
      const bytes = randomBytes(3 * MIB + 1);
      const headers = { "content-type": "application/octet-stream" };
      const first = await upload(bytes, headers, "?name=up.bin");
      expect(first.status).toBe(201);
      expect(first.body).toMatchObject({ name: "up.bin", size: bytes.length, chunks: 4 });
      expect(first.headers.get("location")).toBe(`/api/v1/files/${first.body.file_id}`);
      expect((await upload(bytes, headers, "?name=up.bin")).status).toBe(200);
      const content = await call(`/api/v1/files/${first.body.file_id}/content`);
      expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
    });

    it("shares a stream of unknown length, with the name in its Content-Disposition", async () => {
      const bytes = randomBytes(100_000);
      const headers = { "content-disposition": "attachment; filename*=UTF-8''na%C3%AFve.bin" };
      const { status, body } = await upload(new Blob([bytes]).stream(), headers);
      expect(status).toBe(201);
      expect(body).toMatchObject({ name: "naïve.bin", size: 100_000 });
    });

    it("shares the file of a form as a browser sends it", async () => {
      const bytes = randomBytes(MIB + 17);
      const form = new FormData();
      form.append("note", "a field beside the file");
      form.append("file", new Blob([bytes]), 'quote " and ü.bin');
      const { status, body } = await upload(form);
      expect(status).toBe(201);
      expect(body).toMatchObject({ name: 'quote " and ü.bin', size: bytes.length, chunks: 2 });
    });

    it("takes the name that a form tells last, and leaves the old one to bytes that come without", async () => {
      const bytes = randomBytes(100);
      const form = new FormData();
      form.append("file", new Blob([bytes]), "first.bin");
      form.append("name", "last.bin");
      expect((await upload(form)).body).toMatchObject({ name: "last.bin" });
      expect((await upload(form, {}, "?name=asked.bin")).body).toMatchObject({ name: "asked.bin" });
      expect((await upload(form)).body).toMatchObject({ name: "last.bin" });
      const headers = { "content-type": "application/octet-stream" };
      expect((await upload(bytes, headers)).body).toMatchObject({ name: "last.bin" });
      expect((await upload(bytes, headers, "?name=..")).body).toMatchObject({ name: "last.bin" });
      expect((await upload(randomBytes(100), headers)).body).toMatchObject({ name: "unnamed" });
    });

    it("shares bytes unlisted, and the same bytes so until one says otherwise", async () => {
      const bytes = randomBytes(100);
      const headers = { "content-type": "application/octet-stream" };
      for (const [query, unlisted] of [
        ["?unlisted=true", true],
        ["", true],
        ["?unlisted=false", false],
      ] as const) {
        const { body } = await upload(bytes, headers, query);
        expect(await bodyOf(call(`/api/v1/files/${body.file_id}`)), query).toMatchObject({ unlisted });
      }
    });

    it("shares an empty file as one chunk", async () => {
      const { body } = await upload(
        new Uint8Array(0),
        { "content-type": "application/octet-stream" },
        "?name=empty",
      );
      expect(body).toMatchObject({ size: 0, chunks: 1 });
    });

    it("keeps nothing of a form with two files, none, or no end", async () => {
      const before = (await bodyOf(call("/api/v1/files"))).total;
      const two = new FormData();
      two.append("a", new Blob([randomBytes(10)]), "a");
      two.append("b", new Blob([randomBytes(10)]), "b");
      const none = new FormData();
      none.append("name", "x");
      // As bytes, since a form whose reading is given up is an unhandled rejection in Node.js (nodejs/undici#5835).
      const sent = new Response(two);
      expect((await upload(await sent.arrayBuffer(), Object.fromEntries(sent.headers))).status).toBe(400);
      expect((await upload(none)).status).toBe(400);
      const cut = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbytes';
      expect((await upload(cut, { "content-type": "multipart/form-data; boundary=b" })).status).toBe(400);
      expect((await bodyOf(call("/api/v1/files"))).total).toBe(before);
    });

    it("refuses a form of another kind with 415", async () => {
      for (const type of [
        "application/x-www-form-urlencoded",
        "multipart/mixed; boundary=b",
        "multipart/form-data",
      ]) {
        expect((await upload("x", { "content-type": type })).status).toBe(415);
      }
    });

    it("takes JSON as a file only by a name, and without one tells where a path goes", async () => {
      const before = (await bodyOf(call("/api/v1/files"))).total;
      const text = JSON.stringify({ file_path: `/films/${randomBytes(8).toString("hex")}.mp4` });
      for (const type of ["application/json", "Application/JSON;charset=utf-8"]) {
        expect(await upload(text, { "content-type": type })).toMatchObject({
          status: 400,
          body: { message: expect.stringContaining("/api/v1/files/share") },
        });
      }
      expect((await bodyOf(call("/api/v1/files"))).total).toBe(before);
      const json = { "content-type": "application/json" };
      expect((await upload(text, json, "?name=path.json")).body).toMatchObject({ name: "path.json" });
      const named = { ...json, "content-disposition": 'attachment; filename="named.json"' };
      expect((await upload(text, named)).body).toMatchObject({ name: "named.json" });
    });

    it("refuses a mistyped parameter, without which peers would be told of the file", async () => {
      const { status, body } = await upload("x", {}, "?Unlisted=true");
      expect(status).toBe(400);
      expect(body).toMatchObject({ message: "Unlisted: is not taken here, but unlisted is" });
    });

    it("refuses a form that says in a field what the query says, before its file or behind it, and keeps nothing", async () => {
      const before = (await bodyOf(call("/api/v1/files"))).total;
      for (const isFirst of [true, false]) {
        const form = new FormData();
        if (isFirst) form.set("unlisted", "true");
        form.set("file", new Blob([randomBytes(8)]), "a.bin");
        if (!isFirst) form.set("Unlisted", "true");
        const { status, body } = await upload(form);
        expect(status).toBe(400);
        expect(body).toMatchObject({ message: expect.stringContaining("?unlisted=true") });
      }
      expect((await bodyOf(call("/api/v1/files"))).total).toBe(before);
    });

    it("refuses packed bytes with 415, which would be shared as they came", async () => {
      expect((await upload("x", { "content-encoding": "gzip" })).status).toBe(415);
    });
  });
}
