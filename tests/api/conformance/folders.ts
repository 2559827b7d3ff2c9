/** Folders: several files under one id. Part of the conformance suite. */
import { randomBytes } from "node:crypto";
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { bodyOf, type Caller, nodeError } from "./caller.ts";
import { HEARD_WITHIN_MS, MIB } from "./known.ts";

const ABSENT = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";

export function describeFolders({
  call,
  post,
  json,
  anonymous,
  documented,
  refused,
  share,
  host,
  transferIs,
}: Caller): void {
  const make = (name: string, files: { path: string; file_id: string }[]) =>
    documented("POST /api/v1/folders", post("/api/v1/folders", { name, files }));
  const read = (id: string) => documented("GET /api/v1/folders/{file_id}", call(`/api/v1/folders/${id}`));

  /** By another peer. */
  const offerFolder = (name: string, files: object[]) => {
    const list = { type: "shoal-folder", version: 1, files };
    return host().offerFile(`${name}.folder.json`, new TextEncoder().encode(JSON.stringify(list)));
  };

  describe("folders", () => {
    it("gives files that are here one id, and lists them with their sizes", async () => {
      const sea = await share("sea.bin", randomBytes(1000));
      const notes = await share("notes.bin", randomBytes(10));
      const { status, body } = await make("Holiday", [
        { path: "notes.bin", file_id: notes.toUpperCase() },
        { path: "day 1/sea\u202e.bin", file_id: sea },
      ]);
      expect(status).toBe(200);
      expect(body).toMatchObject({ name: "Holiday.folder.json", chunks: 1 });
      expect((await read(body.file_id)).body).toEqual({
        name: "Holiday",
        size: 1010,
        files: [
          { path: "day 1/sea.bin", file_id: sea, size: 1000 },
          { path: "notes.bin", file_id: notes, size: 10 },
        ],
      });
      // The list is a file as others are: shared, listed, deleted; what it names stays.
      await documented(
        "DELETE /api/v1/files/{file_id}",
        call(`/api/v1/files/${body.file_id}`, { method: "DELETE" }),
      );
      expect((await bodyOf(call(`/api/v1/files/${sea}`))).complete).toBe(true);
    });

    it("lists and unlists a folder's files with it, and a file alone that is only called like one", async () => {
      const sea = await share("sea.bin", randomBytes(1001));
      const { body } = await make("Holiday", [{ path: "sea.bin", file_id: sea }]);
      for (const unlisted of [true, false]) {
        await bodyOf(json("PATCH", `/api/v1/files/${body.file_id}`, { unlisted }));
        for (const id of [body.file_id, sea])
          expect(await bodyOf(call(`/api/v1/files/${id}`))).toMatchObject({ unlisted });
      }
      await bodyOf(json("PATCH", `/api/v1/files/${sea}`, { unlisted: true }));
      const secret = (await make("Secret", [{ path: "sea.bin", file_id: sea }])).body.file_id;
      // It names a file that nobody is told of.
      expect(await bodyOf(call(`/api/v1/files/${secret}`))).toMatchObject({ unlisted: true });
      const none = await share("none.folder.json", randomBytes(100));
      const answer = await bodyOf(json("PATCH", `/api/v1/files/${none}`, { unlisted: true }));
      expect(answer).toMatchObject({ unlisted: true });
    });

    it("shares a folder of its machine with those beneath it", async () => {
      const bytes = randomBytes(20);
      await host().placeFile("trip/day 1/deep.bin", bytes);
      const placed = await host().placeFile("trip/top.bin", randomBytes(30));
      const route = "POST /api/v1/folders/share";
      const folder_path = placed.slice(0, -"/top.bin".length);
      const { status, body } = await documented(route, post("/api/v1/folders/share", { folder_path }));
      expect(status).toBe(200);
      expect(body).toMatchObject({ name: "trip.folder.json" });
      const { body: folder } = await read(body.file_id);
      expect(folder).toMatchObject({ name: "trip", size: 50 });
      expect(folder.files.map(({ path }) => path)).toEqual(["day 1/deep.bin", "top.bin"]);
      const content = await call(`/api/v1/files/${folder.files[0]?.file_id}/content`);
      expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
    });

    it("refuses a folder outside the share roots with 403", async () => {
      const answer = post("/api/v1/folders/share", { folder_path: host().forbiddenPath });
      expect(await refused(answer)).toEqual(nodeError(403));
    });

    it("lists the folder that a peer shares, and downloads all its files to their places in one", async () => {
      const bytes = randomBytes(40);
      const { fileId, release } = await host().offerFile("song.bin", bytes);
      const { fileId: list, release: releaseList } = await offerFolder("Album", [
        { path: "best.bin", id: fileId, size: 40 },
        { path: "disc 1/song.bin", id: fileId, size: 40 },
      ]);
      const { transfer_id } = await bodyOf(post("/api/v1/transfers/download", { file_id: list }));
      for (const go of [release, releaseList]) go();
      await transferIs(transfer_id, "completed");
      expect((await read(list)).body).toEqual({
        name: "Album",
        size: 80,
        files: [
          { path: "best.bin", file_id: fileId, size: 40 },
          { path: "disc 1/song.bin", file_id: fileId, size: 40 },
        ],
      });

      const route = "POST /api/v1/folders/{file_id}/download";
      const output_path = host().outputPath("Album");
      const download = () => post(`/api/v1/folders/${list}/download`, { output_path });
      const { status, body } = await documented(route, download());
      expect(status).toBe(200);
      expect(body.total).toBe(2);
      const started = body.transfers as unknown as { path: string; file_id: string; transfer_id: string }[];
      expect(started.map(({ path, file_id }) => [path, file_id])).toEqual([
        ["best.bin", fileId],
        ["disc 1/song.bin", fileId],
      ]);
      for (const { transfer_id: id } of started) await transferIs(id, "completed");
      const got = await host().readOutput(`${output_path}/disc 1/song.bin`);
      expect(Buffer.from(got).equals(bytes)).toBe(true);
      // What it has brought stays; what somebody else put there is named.
      const again = await bodyOf(download());
      expect(again.transfers.map(({ status }) => status)).toEqual(["completed", "completed"]);
      const { fileId: others, release: releaseOthers } = await offerFolder("Others", [
        { path: "best.bin", id: ABSENT, size: 5 },
      ]);
      const { transfer_id: otherId } = await bodyOf(post("/api/v1/transfers/download", { file_id: others }));
      releaseOthers();
      await transferIs(otherId, "completed");
      const taken = await refused(post(`/api/v1/folders/${others}/download`, { output_path }));
      expect(taken).toEqual(nodeError(409));
      expect(taken.body.message).toContain("best.bin");
    });

    it("reads a folder that a peer offers, and keeps none of it", async () => {
      const { fileId, release } = await offerFolder("Offered", [{ path: "a.bin", id: ABSENT, size: 5 }]);
      release();
      // What a peer offers is heard of a moment later.
      const statusOf = async (id: string) => (await call(`/api/v1/folders/${id}`)).status;
      await expect.poll(() => statusOf(fileId), { timeout: HEARD_WITHIN_MS }).toBe(200);
      expect((await read(fileId)).body).toEqual({
        name: "Offered",
        size: 5,
        files: [{ path: "a.bin", file_id: ABSENT, size: 5 }],
      });
      expect(await refused(call(`/api/v1/files/${fileId}`))).toEqual(nodeError(404));
      const { transfers } = (await bodyOf(call("/api/v1/transfers?all=true"))) as unknown as {
        transfers: { file_id: string }[];
      };
      expect(transfers.filter(({ file_id }) => file_id === fileId)).toEqual([]);
      const { fileId: none, release: releaseNone } = await host().offerFile("none.bin", randomBytes(9));
      releaseNone();
      await expect.poll(() => statusOf(none), { timeout: HEARD_WITHIN_MS }).toBe(400);
      expect(await refused(call(`/api/v1/folders/${none}`))).toEqual(nodeError(400));
    });

    it("downloads a folder that a peer offers, with its list", async () => {
      const bytes = randomBytes(30);
      const { fileId: file, release } = await host().offerFile("offered.bin", bytes);
      const files = [{ path: "a/offered.bin", id: file, size: 30 }];
      const { fileId: list, release: releaseList } = await offerFolder("Offered too", files);
      for (const go of [release, releaseList]) go();
      const download = () => call(`/api/v1/folders/${list}/download`, { method: "POST" });
      await expect.poll(async () => (await download()).status, { timeout: HEARD_WITHIN_MS }).toBe(200);
      const started = (await bodyOf(download())).transfers as unknown as { path: string }[];
      expect(started.map(({ path }) => path)).toEqual(["a/offered.bin"]);
      const isHere = async (id: string) => (await bodyOf(call(`/api/v1/files/${id}`))).complete;
      for (const id of [list, file]) {
        await expect.poll(() => isHere(id), { timeout: HEARD_WITHIN_MS }).toBe(true);
      }
      const missing = await bodyOf(post(`/api/v1/folders/${list}/download`, { missing_only: true }));
      expect([missing.transfers, missing.total]).toEqual([[], 0]);
      const { transfers } = (await bodyOf(call("/api/v1/transfers?all=true"))) as unknown as {
        transfers: { file_id: string; name: string }[];
      };
      expect(transfers.filter(({ file_id }) => file_id === list).map(({ name }) => name)).toEqual([
        "Offered too.folder.json",
      ]);
    });

    it("gives all files of a folder as one archive, also to who has a ticket", async () => {
      const sea = randomBytes(MIB + 1);
      const notes = randomBytes(10);
      const { body } = await make("Archive", [
        { path: "day 1/sea.bin", file_id: await share("zip-sea.bin", sea) },
        { path: "notes é.bin", file_id: await share("zip-notes.bin", notes) },
        { path: "at 12:30", file_id: await share("zip-empty.bin", new Uint8Array(0)) },
      ]);
      const place = `/api/v1/files/${body.file_id}/content?as=zip`;
      const { url } = (await bodyOf(post("/api/v1/tickets", { file_id: body.file_id }))) as unknown as {
        url: string;
      };
      for (const response of [await call(place), await anonymous(`${url}?as=zip`)]) {
        expect(response.status).toBe(200);
        expect(response.headers.get("content-type")).toBe("application/zip");
        expect(response.headers.get("content-disposition")).toContain('attachment; filename="Archive.zip"');
        const bytes = new Uint8Array(await response.arrayBuffer());
        expect(bytes.length).toBe(Number(response.headers.get("content-length")));
        const unpacked = unzipSync(bytes);
        expect(Object.keys(unpacked).sort()).toEqual(["at 12_30", "day 1/sea.bin", "notes é.bin"]);
        expect(Buffer.from(unpacked["day 1/sea.bin"] ?? []).equals(sea)).toBe(true);
        expect(Buffer.from(unpacked["notes é.bin"] ?? []).equals(notes)).toBe(true);
      }
      const head = await call(place, { method: "HEAD" });
      expect(head.headers.get("etag")).toBe(`"${body.file_id}.zip"`);
      const same = await call(place, { headers: { "if-none-match": head.headers.get("etag") ?? "" } });
      expect(same.status).toBe(304);
      for (const { headers } of [head, same]) {
        expect(headers.get("cache-control")).toBe("private, no-cache");
        expect(headers.get("accept-ranges")).toBe("none");
      }
      expect(await refused(call(place, { headers: { "if-match": `"${body.file_id}"` } }))).toEqual(
        nodeError(412),
      );
    });

    it("refuses an archive of what is no folder, and of one whose files are not all here", async () => {
      const bytes = await share("no-folder.bin", randomBytes(10));
      expect(await refused(call(`/api/v1/files/${bytes}/content?as=zip`))).toEqual(nodeError(400));
      const files = [
        { path: "absent.txt", id: ABSENT, size: 5 },
        { path: "here.bin", id: bytes, size: 10 },
      ];
      const list = { type: "shoal-folder", version: 1, files };
      const id = await share("Half.folder.json", new TextEncoder().encode(JSON.stringify(list)));
      const half = await refused(call(`/api/v1/files/${id}/content?as=zip`));
      expect(half).toEqual(nodeError(409));
      expect(half.body.message).toContain("1 of the folder's 2 files");
    });

    it("gives an archive as long as it says, whatever a list says of its files' sizes", async () => {
      const note = randomBytes(10);
      const files = [{ path: "note.bin", id: await share("zip-note.bin", note), size: 11 }];
      const list = { type: "shoal-folder", version: 1, files };
      const id = await share("Wrong.folder.json", new TextEncoder().encode(JSON.stringify(list)));
      const response = await call(`/api/v1/files/${id}/content?as=zip`);
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect(bytes.length).toBe(Number(response.headers.get("content-length")));
      expect(Buffer.from(unzipSync(bytes)["note.bin"] ?? []).equals(note)).toBe(true);
    });

    it("gives the same files the same id", async () => {
      const one = await share("one.bin", randomBytes(10));
      const two = await share("two.bin", randomBytes(10));
      const files = [one, two].map((file_id) => ({ path: `${file_id}.bin`, file_id }));
      const { body: first } = await make("Twice", files);
      const { body: again } = await make("Twice", files.toReversed());
      expect(again.file_id).toBe(first.file_id);
    });

    it("refuses files that are not here, paths that lead out or meet, and none at all", async () => {
      const id = await share("here.bin", randomBytes(10));
      const refusedWith = async (files: object[], name = "x") =>
        (await refused(post("/api/v1/folders", { name, files }))).status;
      expect(
        await refused(post("/api/v1/folders", { name: "x", files: [{ path: "a", file_id: ABSENT }] })),
      ).toEqual(nodeError(404));
      expect(await refusedWith([])).toBe(400);
      expect(await refusedWith([{ path: "../a", file_id: id }])).toBe(400);
      expect(await refusedWith([{ path: "a", file_id: "none" }])).toBe(400);
      expect(await refusedWith([{ path: "a", file_id: id }], "")).toBe(400);
      expect(
        await refusedWith([
          { path: "a", file_id: id },
          { path: "a/b", file_id: id },
        ]),
      ).toBe(400);
    });

    it("refuses to list what is no folder, and what is not here", async () => {
      const bytes = await share("bytes.bin", randomBytes(10));
      const large = await share("large.bin", randomBytes(3 * 1024 * 1024));
      for (const id of [bytes, large]) {
        expect(await refused(call(`/api/v1/folders/${id}`))).toEqual(nodeError(400));
      }
      for (const id of [ABSENT, "none"]) {
        expect(await refused(call(`/api/v1/folders/${id}`))).toEqual(nodeError(404));
      }
    });
  });
}
