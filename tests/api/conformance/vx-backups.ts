/** Backups: made, restored, listed, downloaded, uploaded. Part of the conformance suite. */
import { expect, it } from "vitest";
import type { Backup } from "../../../src/api/vx/backups.ts";
import { bodyOf, vxError } from "./caller.ts";
import { ISO_UTC } from "./known.ts";
import type { VxCaller } from "./vx-caller.ts";

let made = 0;

/** The suite may run against one folder more than once. A later one stands behind an earlier one also in the order of names. */
const newName = () => `conformance-${process.pid}-${Date.now()}-${String(made++).padStart(4, "0")}.zip`;

export function describeVxBackups(vx: VxCaller): void {
  const { call, documented, refused, vector, told, add, refuses, describeIndex } = vx;
  const total = async () => (await bodyOf(call("/vectors"))).total;

  describeIndex("backups", () => {
    it("bring back what was there, from the path that their making gave", async () => {
      await add({ id: 1, vector: vector(1), metadata: { a: 1 } }, { id: 2, vector: vector(0, 1) });
      for (const options of [{}, { path: newName(), compress: false }, { incremental: true }]) {
        const backup = (await told("/admin/backup", options)) as unknown as { [field: string]: unknown };
        expect(backup).toMatchObject({
          success: true,
          path: expect.any(String),
          size_bytes: expect.any(Number),
        });
        expect(backup.timestamp).toMatch(ISO_UTC);
        await add({ id: 3, vector: vector(0, 0, 1) }, { id: 1, vector: vector(1) });
        const restored = await told("/admin/restore", { path: backup.path });
        expect(restored).toMatchObject({ success: true, vector_count: 2, timestamp: backup.timestamp });
        expect(await total()).toBe(2);
        expect((await bodyOf(call("/vectors/1"))).metadata).toEqual({ a: 1 });
      }
    });

    it("are listed, downloaded and uploaded, byte for byte", async () => {
      await add({ id: 1, vector: vector(1) });
      const name = newName();
      const made = (await told("/admin/backup", { path: name })) as unknown as Backup;
      const { body } = await documented("GET /admin/backups", call("/admin/backups"));
      const entry = body.backups.find((backup) => backup.name === name);
      expect(entry).toMatchObject({ path: made.path, kind: "full", base: null });

      const download = await call(`/admin/backups/${name}`);
      expect(download.headers.get("content-type")).toBe("application/zip");
      expect(download.headers.get("content-disposition")).toContain(`filename="${name}"`);
      expect(download.headers.get("content-length")).toBe(String(entry?.size_bytes));
      const archive = new Uint8Array(await download.arrayBuffer());
      expect(archive.length).toBe(entry?.size_bytes);

      const copy = newName();
      const put = (bytes: Uint8Array<ArrayBuffer>) =>
        call(`/admin/backups/${copy}`, {
          method: "PUT",
          headers: { "content-type": "application/zip" },
          body: bytes,
        });
      const answer = await documented("PUT /admin/backups/{name}", put(archive));
      const { timestamp } = made;
      const kept = { name: copy, size_bytes: archive.length, timestamp };
      expect([answer.status, answer.body]).toMatchObject([201, kept]);
      expect(await refused(put(archive))).toMatchObject(vxError(409, "conflict"));
      // When it was made, whenever it came here.
      const { backups } = await bodyOf(call("/admin/backups"));
      const ofCopy = backups.find(({ name }) => name === copy);
      expect([entry?.timestamp, ofCopy?.timestamp]).toEqual([timestamp, timestamp]);

      await add({ id: 2, vector: vector(1) });
      expect(await told("/admin/restore", { path: answer.body.path })).toMatchObject({ vector_count: 1 });
      expect(await total()).toBe(1);
    });

    it("are listed newest first", async () => {
      const names = [newName(), newName(), newName()];
      for (const [i, name] of names.entries()) {
        await add({ id: i, vector: vector(1) });
        await told("/admin/backup", { path: name });
      }
      const { backups } = await bodyOf(call("/admin/backups"));
      const own = backups.filter(({ name }: { name: string }) => names.includes(name));
      expect(own.map(({ name }: { name: string }) => name)).toEqual(names.reverse());
    });

    it("are gone once deleted", async () => {
      await add({ id: 1, vector: vector(1) });
      const name = newName();
      await told("/admin/backup", { path: name });
      const remove = (which: string) =>
        documented("DELETE /admin/backups/{name}", call(`/admin/backups/${which}`, { method: "DELETE" }));
      expect(await remove(name)).toMatchObject({ status: 200, body: { success: true, name } });
      const { body } = await documented("GET /admin/backups", call("/admin/backups"));
      expect(body.backups.map((backup) => backup.name)).not.toContain(name);
      expect(await remove(name)).toMatchObject(vxError(404, "backup_not_found"));
      expect((await remove("..%2Fnowhere.zip")).status).toBe(400);
    });

    it("are looked after whatever their names, and not deleted while one goes on from them", async () => {
      await add({ id: 1, vector: vector(1) });
      const [full, next] = [newName(), newName().replace(".zip", " of today")];
      await told("/admin/backup", { path: full });
      await add({ id: 2, vector: vector(1) });
      const made = (await told("/admin/backup", { path: next, incremental: true })) as unknown as Backup;
      const { backups } = await bodyOf(call("/admin/backups"));
      const listed = made.incremental ? { kind: "incremental", base: full } : { kind: "full", base: null };
      expect(backups).toContainEqual(expect.objectContaining({ name: next, ...listed }));
      const named = (name: string) => `/admin/backups/${encodeURIComponent(name)}`;
      const remove = async (name: string) => (await call(named(name), { method: "DELETE" })).status;
      // An index in memory keeps no changes to go on from.
      expect(await remove(full)).toBe(made.incremental ? 409 : 200);
      expect(await told("/admin/restore", { path: made.path })).toMatchObject({ vector_count: 2 });
      const download = await call(named(next));
      expect([download.status, (await download.arrayBuffer()).byteLength]).toEqual([200, made.size_bytes]);
      expect(await remove(next)).toBe(200);
      expect(await remove(full)).toBe(made.incremental ? 200 : 404);
    });

    it("are made for a request without a body, as for {}", async () => {
      for (const body of [undefined, "", new ReadableStream({ start: (stream) => stream.close() })]) {
        const request = { method: "POST", ...(body !== undefined && { body }) };
        const made = await documented("POST /admin/backup", call("/admin/backup", request));
        expect(made.status).toBe(200);
      }
      for (const [body, type, status, code] of [
        ["{}", "text/plain", 415, "unsupported_media_type"],
        ["{", "application/json", 400, "invalid_request"],
        ["null", "application/json", 400, "invalid_request"],
      ] as const) {
        const answer = call("/admin/backup", { method: "POST", body, headers: { "content-type": type } });
        expect(await refused(answer)).toMatchObject(vxError(status, code));
      }
    });

    it("are never written over", async () => {
      const path = newName();
      await told("/admin/backup", { path });
      const message = await refuses("/admin/backup", { path }, 409, "conflict");
      // Where its folder lies is nobody's matter.
      expect(message).toBe(`There is a backup ${path} already`);
    });

    it("stay inside their folder", async () => {
      for (const path of [
        "../out.zip",
        "/etc/out.zip",
        "/etc/passwd",
        "a/../../out.zip",
        "..",
        "C:\\out.zip",
        "x.zip.",
        ".hidden.zip",
      ]) {
        await refuses("/admin/backup", { path }, 403, "forbidden");
        await refuses("/admin/restore", { path }, 403, "forbidden");
      }
      await refuses("/admin/backup", { path: "a\0.zip" }, 400, "invalid_request");
      await refuses("/admin/restore", { path: "" }, 400, "invalid_request");
    });

    it("that are not there are 404", async () => {
      await refuses("/admin/restore", { path: "nowhere.zip" }, 404, "backup_not_found");
      expect(await refused(call("/admin/backups/nowhere.zip"))).toMatchObject(
        vxError(404, "backup_not_found"),
      );
      expect(await refused(call("/admin/backups/..%2Fnowhere.zip"))).toMatchObject(
        vxError(400, "invalid_request"),
      );
    });

    it("that are none are refused when they are uploaded, and damaged ones leave the index as it was", async () => {
      await add({ id: 1, vector: vector(1) });
      const { path } = await told("/admin/backup", {});
      const name = path.slice(path.lastIndexOf("/") + 1);
      const archive = new Uint8Array(await (await call(`/admin/backups/${name}`)).arrayBuffer());
      await add({ id: 2, vector: vector(1) });
      const flipped = archive.slice();
      // Behind the head of the first entry, of 30 bytes and a name: what only a restore reads.
      const at = 30 + new DataView(archive.buffer).getUint16(26, true);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      const put = (upload: string, body: Uint8Array<ArrayBuffer>) =>
        call(`/admin/backups/${upload}`, {
          method: "PUT",
          headers: { "content-type": "Application/Octet-Stream; charset=binary" },
          body,
        });
      const damaged = newName();
      const kept = await put(damaged, flipped);
      expect(kept.status).toBe(201);
      await kept.body?.cancel();
      const message = await refuses("/admin/restore", { path: damaged }, 422, "backup_corrupt");
      expect(message).toMatch(new RegExp(`^The backup ${damaged} cannot be used: it`));
      for (const bytes of [archive.slice(0, archive.length >> 1), new TextEncoder().encode("no archive")]) {
        const upload = newName();
        expect(await refused(put(upload, bytes))).toMatchObject(vxError(422, "backup_corrupt"));
        await refuses("/admin/restore", { path: upload }, 404, "backup_not_found");
      }
      expect(await total()).toBe(2);
    });
  });
}
