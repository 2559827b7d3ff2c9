/** Media that play, and are sought in, while they are still being downloaded: their ranges come through the service worker. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../interop/until.ts";
import { ENDS, type OpenPage, PageSite } from "./open-page.ts";
import { silence } from "./silence.ts";
import { showAnew } from "./ui-checks.ts";
import { recordNoise } from "./webm.ts";

const KIB = 1024;

let site: PageSite;
let opened: OpenPage;
beforeAll(async () => {
  site = await PageSite.start({ flags: ["--max-upload", String(KIB * KIB)] });
  opened = await site.open();
});
afterAll(() => site[Symbol.asyncDispose]());

/** Downloads what the host has; gives the transfer's id once its first chunk is here. */
async function begin(fileId: string, options: { strategy?: "sequential" } = {}): Promise<string> {
  const offered = () => opened.api<{ files: { id: string }[] }>("files/network");
  await until(
    "the page knows of the file",
    async () => (await offered()).files.some(({ id }) => id === fileId),
    60_000,
    1000,
  );
  const started = await opened.api<{ transfer_id: string }>("transfers/download", "POST", {
    file_id: fileId,
    ...options,
  });
  await opened.transferEvent(started.transfer_id, ["transfer_progress"]);
  return started.transfer_id;
}

it("plays from the start, and after a seek from near the end, before the whole is there", async () => {
  const { page } = opened;
  const { client } = site.host;
  const video = await recordNoise(page, { frames: 120, frameMs: 500 });
  expect(video.bytes.length).toBeGreaterThan(8 * KIB * KIB);
  const { file_id: fileId } = await client.upload(video.bytes, { name: "noise.webm" });
  const transferId = await begin(fileId);
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

it("is told to have no more bytes, not to be of a wrong kind, where its download is paused", async () => {
  const { page } = opened;
  const { client } = site.host;
  await client.changeSettings({ max_upload: 16 * KIB });
  const sound = silence(4 * KIB * KIB);
  sound.writeInt16LE(1, 3 * KIB * KIB);
  const { file_id: fileId } = await client.upload(sound, { name: "paused.wav" });
  const transferId = await begin(fileId);
  await opened.api(`transfers/${transferId}/pause`, "POST");
  await showAnew(page, "#/files");
  await page.getByRole("button", { name: "paused.wav", exact: false }).first().click();
  await page.getByRole("dialog").getByText("No more of this file came.").waitFor();
  await page.keyboard.press("Escape");
  await opened.api(`transfers/${transferId}/cancel`, "POST");
});

it("is told to have no more bytes, not to be of a wrong kind, where its download is cancelled", async () => {
  const { page } = opened;
  const { client } = site.host;
  await client.changeSettings({ max_upload: 256 * KIB });
  const sound = silence(8 * KIB * KIB);
  // Equal chunks would all be here with the first.
  for (let at = 100_000; at < sound.length; at += 100_000) sound.writeInt16LE(at / 100_000, at);
  const { file_id: fileId } = await client.upload(sound, { name: "song.wav" });
  // Begun at its beginning, it has nothing of its end yet, which would play.
  const transferId = await begin(fileId, { strategy: "sequential" });
  await showAnew(page, "#/transfers");
  await page.getByRole("button", { name: "Play song.wav" }).click();
  await page.locator("audio").evaluate(
    (audio: HTMLAudioElement) =>
      new Promise<void>((resolve) => {
        audio.addEventListener("seeking", () => resolve(), { once: true });
        const seek = () => {
          audio.currentTime = audio.duration - 20;
        };
        if (audio.readyState > 0) seek();
        else audio.addEventListener("loadedmetadata", seek, { once: true });
      }),
  );
  await opened.api(`transfers/${transferId}/cancel`, "POST");
  await page.getByRole("dialog").getByText("No more of this file came.").waitFor();
});
