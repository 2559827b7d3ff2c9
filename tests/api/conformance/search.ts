/** Search among files, with a model or without one: by name it always works. Part of the conformance suite. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import type { Caller } from "./caller.ts";
import { HEARD_WITHIN_MS } from "./known.ts";

const ABSENT = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";

export function describeSearch({ call, documented, refused, share, host }: Caller): void {
  const find = async (query: Record<string, string>, list = "") =>
    documented(`GET /api/v1/files${list}`, call(`/api/v1/files${list}?${new URLSearchParams(query)}`));
  const namesOf = async (query: Record<string, string>) =>
    (await find(query)).body.files.map(({ name }) => name);

  describe("search", () => {
    it("finds a file by beginnings of words, without diacritics and with a typing mistake", async () => {
      await share("Výroční_zprávaKoala 2023.bin", randomBytes(20));
      for (const q of ["vyrocni koa", "KOALA zprava", "2023 vyročny"]) {
        const { body } = await find({ q });
        expect(body.files[0]).toMatchObject({
          name: "Výroční_zprávaKoala 2023.bin",
          why: expect.arrayContaining(["name"]),
          score: expect.any(Number),
          excerpt: expect.any(String),
        });
        expect(["name", "meaning"]).toContain(body.ranked_by);
      }
    });

    it("puts a file whose name was asked for first, whatever others are named", async () => {
      for (const name of ["quokka quokka quokka.bin", "quokka.bin", "quokkas and quokka.bin"]) {
        await share(name, randomBytes(20));
      }
      expect((await namesOf({ q: "quokka.bin" }))[0]).toBe("quokka.bin");
      expect((await namesOf({ q: "Quokka" }))[0]).toBe("quokka.bin");
      expect((await find({ q: "quokka.bin" })).body.files[0]).toMatchObject({ score: 1 });
    });

    it("pages its hits, counts all of them, and takes nothing for a list of everything", async () => {
      for (let i = 0; i < 3; i++) await share(`wombat ${i}.bin`, randomBytes(20));
      // What has not been read yet may come to stand elsewhere.
      await eventually(async () => {
        const all = (await find({ q: "wombat", limit: "10" })).body;
        const page = (await find({ q: "wombat", limit: "1", offset: "1" })).body;
        expect(page.files.map(({ id }) => id)).toEqual([all.files[1]?.id]);
      });
      expect((await find({ q: "wombat", limit: "2" })).body.files).toHaveLength(2);
      const { body } = await find({ q: " " });
      expect(body).not.toHaveProperty("ranked_by");
      expect(body.total).toBe((await find({})).body.total);
    });

    it("finds a deleted file no more", async () => {
      const id = await share("numbat.bin", randomBytes(20));
      expect(await namesOf({ q: "numbat" })).toContain("numbat.bin");
      await call(`/api/v1/files/${id}`, { method: "DELETE" });
      expect(await namesOf({ q: "numbat" })).not.toContain("numbat.bin");
    });

    it("finds what others offer, and not among the files here", async () => {
      const { fileId } = await host().offerFile("bandicoot song.bin", randomBytes(2000));
      await expect
        .poll(async () => (await find({ q: "song bandicoot" }, "/network")).body.files[0], {
          timeout: HEARD_WITHIN_MS,
        })
        .toMatchObject({ id: fileId, peers: [expect.any(String)], why: expect.arrayContaining(["name"]) });
      // By its meaning, the word may find something else.
      expect(await namesOf({ q: "bandicoot" })).not.toContain("bandicoot song.bin");
    });

    it("gives files like another one", async () => {
      const id = await share("echidna one.bin", randomBytes(20));
      const other = await share("echidna two.bin", randomBytes(20));
      const route = "GET /api/v1/files/{file_id}/similar";
      await expect
        .poll(async () => {
          const { body } = await documented(route, call(`/api/v1/files/${id}/similar?scope=local`));
          return body.files.map(({ id }) => id);
        })
        .toContain(other);
      expect((await refused(call(`/api/v1/files/${ABSENT}/similar`))).status).toBe(404);
    });

    it("draws a map of the files where there is an index, and says so where there is none", async () => {
      const id = await share("platypus.bin", randomBytes(20));
      const route = "GET /api/v1/files/map";
      const asked = () => documented(route, call("/api/v1/files/map?scope=local"));
      if (host().indexesFiles) {
        await expect
          .poll(async () => (await asked()).body.points ?? [], { timeout: HEARD_WITHIN_MS })
          .toContainEqual({
            ...{ x: expect.any(Number), y: expect.any(Number), file_id: id, name: "platypus.bin", size: 20 },
            ...{ type: "application/octet-stream", kind: "program", local: true, holders: 0 },
          });
        const { status, body } = await asked();
        expect(status).toBe(200);
        expect(body.total).toBeGreaterThanOrEqual(body.points.length);
      } else expect(await asked()).toMatchObject({ status: 409, body: { error: true, code: 409 } });
      expect((await refused(call("/api/v1/files/map?scope=mine"))).status).toBe(400);
      expect((await refused(call("/api/v1/files/map", { method: "POST" }))).status).toBe(405);
    });

    it("says how far reading is", async () => {
      const { body } = await documented("GET /api/v1/search", call("/api/v1/search"));
      expect(Object.keys(body).sort()).toEqual(["indexed", "model", "pending", "problem", "state"]);
    });

    it("narrows by SQL where there is an index, and says so where there is none", async () => {
      const id = await share("kookaburra.bin", randomBytes(30));
      const narrowed = (filter: string) => find({ q: "kookaburra", filter });
      if (host().indexesFiles) {
        const ids = async () => (await narrowed("size = 30")).body.files?.map((file) => file.id);
        await expect.poll(ids, { timeout: HEARD_WITHIN_MS }).toEqual([id]);
        expect((await narrowed("size > 1000000")).body).toMatchObject({ files: [], total: 0 });
        expect((await refused(call("/api/v1/files?q=kookaburra&filter=size%20%3E"))).status).toBe(400);
      } else
        expect(await narrowed("size = 30")).toMatchObject({ status: 409, body: { error: true, code: 409 } });
    });

    it("refuses a query and a filter that are too long", async () => {
      expect((await refused(call(`/api/v1/files?q=${"x".repeat(1001)}`))).status).toBe(400);
      expect((await refused(call(`/api/v1/files?q=x&filter=${"1".repeat(10_001)}`))).status).toBe(400);
    });
  });
}
