/** A video that plays, and is sought in, while it is still being downloaded: its ranges come through the service worker. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../interop/until.ts";
import { ENDS, type OpenPage, PageSite } from "./open-page.ts";
import { recordNoise } from "./webm.ts";

const KIB = 1024;

let site: PageSite;
let opened: OpenPage;
beforeAll(async () => {
  site = await PageSite.start({ flags: ["--max-upload", String(512 * KIB)] });
  opened = await site.open();
});
afterAll(() => site[Symbol.asyncDispose]());

it("plays from the start, and after a seek from near the end, before the whole is there", async () => {
  const { page } = opened;
  const { client } = site.host;
  const video = await recordNoise(page, { frames: 120, frameMs: 500 });
  expect(video.bytes.length).toBeGreaterThan(8 * KIB * KIB);
  const { file_id: fileId } = await client.upload(video.bytes, { name: "noise.webm" });
  const offered = () => opened.api<{ files: { id: string }[] }>("files/network");
  await until(
    "the page knows of the file",
    async () => (await offered()).files.some(({ id }) => id === fileId),
    60_000,
    1000,
  );
  const { transfer_id: transferId } = await opened.api<{ transfer_id: string }>(
    "transfers/download",
    "POST",
    {
      file_id: fileId,
    },
  );
  await opened.transferEvent(transferId, ["transfer_progress"]);
  const { url } = await opened.api<{ url: string }>("tickets", "POST", { file_id: fileId });

  const played = await page.evaluate(
    async ({ url, seekToSeconds }) => {
      const video = document.createElement("video");
      video.muted = true;
      const failed = new Promise<never>((_, reject) => {
        video.addEventListener("error", () => reject(new Error(video.error?.message)));
      });
      /** Settles with where it plays, once that is past the place. */
      const playsPast = (seconds: number) =>
        Promise.race([
          failed,
          new Promise<number>((resolve) => {
            video.addEventListener("timeupdate", () => {
              if (!video.seeking && video.currentTime > seconds) resolve(video.currentTime);
            });
          }),
        ]);
      video.src = url;
      document.body.append(video);
      await video.play();
      const start = await playsPast(0);
      const { duration, videoWidth } = video;
      video.currentTime = seekToSeconds;
      const end = await playsPast(seekToSeconds);
      return { start, end, duration, videoWidth };
    },
    { url, seekToSeconds: video.durationMs / 1000 - 5 },
  );
  expect(await opened.api(`files/${fileId}`)).toMatchObject({ complete: false });
  expect(played).toMatchObject({ duration: video.durationMs / 1000, videoWidth: 640 });
  expect(played.start).toBeLessThan(played.end);

  await client.changeSettings({ max_upload: null });
  expect((await opened.transferEvent(transferId, ENDS)).event).toBe("transfer_complete");
  expect(await opened.contentHash(fileId)).toBe(createHash("sha256").update(video.bytes).digest("hex"));
  expect(opened.complaints).toEqual([]);
});
