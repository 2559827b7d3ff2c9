/** Transfers from start to every end. Part of the conformance suite. */
import { randomBytes } from "node:crypto";
import { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import * as Digest from "multiformats/hashes/digest";
import { sha256 } from "multiformats/hashes/sha2";
import { describe, expect, it } from "vitest";
import { bodyOf, type Caller, nodeError } from "./caller.ts";
import { HEARD_WITHIN_MS, MIB } from "./known.ts";

export function describeTransfers({ call, post, documented, refused, transferIs, host }: Caller): void {
  /** A download of which no chunk comes before its `release`, once the file is known here. */
  async function begun(name: string, bytes: Uint8Array) {
    const offer = await host().offerFile(name, bytes);
    const { transfer_id } = await bodyOf(post("/api/v1/transfers/download", { file_id: offer.fileId }));
    const status = async () => (await call(`/api/v1/files/${offer.fileId}`)).status;
    await expect.poll(status, { timeout: HEARD_WITHIN_MS }).toBe(200);
    return { ...offer, transfer_id };
  }

  describe("transfers", () => {
    it("downloads a file to a path", async () => {
      const bytes = randomBytes(MIB + 5);
      const { fileId, release } = await host().offerFile("download.bin", bytes);
      const output_path = host().outputPath("download.bin");
      const { status, body } = await documented(
        "POST /api/v1/transfers/download",
        post("/api/v1/transfers/download", { file_id: fileId, output_path, multi_peer: true }),
      );
      expect(status).toBe(200);
      expect(body).toMatchObject({
        file_id: fileId,
        transfer_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
      release();
      await transferIs(body.transfer_id, "completed");
      expect(Buffer.from(await host().readOutput(output_path)).equals(bytes)).toBe(true);

      const { body: detail } = await documented(
        "GET /api/v1/transfers/{transfer_id}",
        call(`/api/v1/transfers/${body.transfer_id}`),
      );
      expect(detail).toMatchObject({ progress: 1, file_id: fileId });
      const again = post("/api/v1/transfers/download", { file_id: fileId, output_path });
      expect(await refused(again)).toMatchObject(nodeError(409));
    });

    it("lists active transfers, and ended ones when asked", async () => {
      const { fileId, release } = await host().offerFile("listed.bin", randomBytes(50_000));
      const { body } = await documented(
        "POST /api/v1/transfers/download",
        post("/api/v1/transfers/download", { file_id: fileId }),
      );
      const ids = async (query: string) => {
        const listed = await documented("GET /api/v1/transfers", call(`/api/v1/transfers${query}`));
        return listed.body.transfers.map(({ id }) => id);
      };
      expect(await ids("")).toContain(body.transfer_id);
      expect(await ids("?status=completed,failed")).not.toContain(body.transfer_id);
      release();
      await transferIs(body.transfer_id, "completed");
      expect(await ids("")).not.toContain(body.transfer_id);
      expect(await ids("?all=true")).toContain(body.transfer_id);
      expect(await ids("?status=completed")).toContain(body.transfer_id);
      expect(await refused(call("/api/v1/transfers?status=lost"))).toMatchObject(nodeError(400));
    });

    it("calls a file that nobody announces as the request does", async () => {
      const digest = await crypto.subtle.digest("SHA-256", randomBytes(32));
      const file_id = CID.createV1(raw.code, Digest.create(sha256.code, new Uint8Array(digest))).toString();
      const { body } = await documented(
        "POST /api/v1/transfers/download",
        post("/api/v1/transfers/download", { file_id, name: "of a link.txt" }),
      );
      const path = `/api/v1/transfers/${body.transfer_id}`;
      const { body: detail } = await documented("GET /api/v1/transfers/{transfer_id}", call(path));
      expect(detail).toMatchObject({ file_id, name: "of a link.txt" });
      await bodyOf(post(`${path}/cancel`));
    });

    it("gives the transfer under way to a second request for the same", async () => {
      const { fileId, release } = await host().offerFile("twice.bin", randomBytes(60_000));
      const start = async () =>
        (await bodyOf(post("/api/v1/transfers/download", { file_id: fileId }))).transfer_id;
      expect(await start()).toBe(await start());
      release();
    });

    it("cancels an active transfer once", async () => {
      const { fileId } = await host().offerFile("cancelled.bin", randomBytes(70_000));
      const { transfer_id } = await bodyOf(post("/api/v1/transfers/download", { file_id: fileId }));
      const route = "POST /api/v1/transfers/{transfer_id}/cancel";
      const cancelled = await documented(route, post(`/api/v1/transfers/${transfer_id}/cancel`));
      expect(cancelled).toMatchObject({
        status: 200,
        body: { success: true, message: "Transfer cancelled" },
      });
      await transferIs(transfer_id, "cancelled");
      expect(await refused(post(`/api/v1/transfers/${transfer_id}/cancel`))).toMatchObject(nodeError(409));
    });

    it("takes a transfer's id in upper case, too, as Swift writes a UUID", async () => {
      const { fileId } = await host().offerFile("upper.bin", randomBytes(75_000));
      const { transfer_id } = await bodyOf(post("/api/v1/transfers/download", { file_id: fileId }));
      const path = `/api/v1/transfers/${transfer_id.toUpperCase()}`;
      const { status, body } = await documented("GET /api/v1/transfers/{transfer_id}", call(path));
      expect({ status, id: body.id }).toEqual({ status: 200, id: transfer_id });
      expect((await post(`${path}/cancel`)).status).toBe(200);
      await transferIs(transfer_id, "cancelled");
    });

    it("pauses and resumes the same transfer", async () => {
      const { fileId, release } = await host().offerFile("paused.bin", randomBytes(80_000));
      const { transfer_id } = await bodyOf(post("/api/v1/transfers/download", { file_id: fileId }));
      const route = "POST /api/v1/transfers/{transfer_id}/pause";
      expect((await documented(route, post(`/api/v1/transfers/${transfer_id}/pause`))).status).toBe(200);
      await transferIs(transfer_id, "interrupted");
      expect(await bodyOf(call(`/api/v1/transfers/${transfer_id}`))).toMatchObject({ paused: true });
      const resumed = await documented(
        "POST /api/v1/transfers/resume/{file_id}",
        post(`/api/v1/transfers/resume/${fileId}`),
      );
      expect(resumed).toMatchObject({
        status: 200,
        body: { transfer_id, file_id: fileId, status: "resumed" },
      });
      release();
      await transferIs(transfer_id, "completed");
      expect(await refused(post(`/api/v1/transfers/resume/${fileId}`))).toMatchObject(nodeError(409));
    });

    it("tells which chunk is where", async () => {
      const { fileId, release } = await host().offerFile("pieces.bin", randomBytes(2 * MIB + 1));
      const { transfer_id } = await bodyOf(post("/api/v1/transfers/download", { file_id: fileId }));
      release();
      await transferIs(transfer_id, "completed");
      const route = "GET /api/v1/transfers/{transfer_id}/chunks";
      const { body } = await documented(route, call(`/api/v1/transfers/${transfer_id}/chunks`));
      expect(body).toMatchObject({ chunks: 3, states: "222" });
      expect(Buffer.from(body.sources, "base64")).toHaveLength(3);
      const sampled = await documented(route, call(`/api/v1/transfers/${transfer_id}/chunks?sample=2`));
      expect(sampled.body).toMatchObject({ chunks: 3, states: "22" });
      for (const sample of ["0", "-1", "1.5", "x", "1e3", "0x10", "1000000000"]) {
        const answer = call(`/api/v1/transfers/${transfer_id}/chunks?sample=${sample}`);
        expect(await refused(answer)).toMatchObject(nodeError(400));
      }
    });

    it("answers 404 for what was never asked for", async () => {
      const unknown = "00000000-0000-4000-8000-000000000000";
      expect(await refused(call(`/api/v1/transfers/${unknown}`))).toMatchObject(nodeError(404));
      expect(await refused(post(`/api/v1/transfers/${unknown}/cancel`))).toMatchObject(nodeError(404));
      expect(await refused(post("/api/v1/transfers/resume/no-cid"))).toMatchObject(nodeError(404));
      expect(await refused(post("/api/v1/transfers/download", { file_id: "no-cid" }))).toMatchObject(
        nodeError(400),
      );
    });

    it("keeps a file that is being downloaded from deletion, and streams it as it comes", async () => {
      const bytes = randomBytes(2 * MIB + 90_000);
      const { fileId, transfer_id, release } = await begun("busy.bin", bytes);
      expect((await bodyOf(call(`/api/v1/files/${fileId}`))).complete).toBe(false);
      expect(await refused(call(`/api/v1/files/${fileId}`, { method: "DELETE" }))).toMatchObject(
        nodeError(409),
      );
      const reading = call(`/api/v1/files/${fileId}/content`).then((response) => response.arrayBuffer());
      release();
      expect(Buffer.from(await reading).equals(bytes)).toBe(true);
      await transferIs(transfer_id, "completed");
    });

    it("says with 503 that bytes are not here while a download is paused, and streams them once it goes on", async () => {
      const bytes = randomBytes(2 * MIB + 70_000);
      const { fileId, transfer_id, release } = await begun("paused-busy.bin", bytes);
      await post(`/api/v1/transfers/${transfer_id}/pause`);
      await transferIs(transfer_id, "interrupted");
      const content = (method: string) => call(`/api/v1/files/${fileId}/content`, { method });
      expect(await refused(content("GET"))).toMatchObject(nodeError(503));
      expect((await content("HEAD")).status).toBe(200);
      await post(`/api/v1/transfers/resume/${fileId}`);
      const reading = content("GET").then((response) => response.arrayBuffer());
      release();
      expect(Buffer.from(await reading).equals(bytes)).toBe(true);
    });
  });
}
