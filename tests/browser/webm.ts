/**
 * A real video made in the page itself: noise, encoded as VP8 by the browser, and packed here as WebM with an index, so
 * that players can seek in it. Called by the playback test. Sources: RFC 8794 (EBML), RFC 9559 (Matroska).
 */
import type { Page } from "playwright";

interface Frame {
  timeMs: number;
  vp8: Buffer;
}

export interface Video {
  bytes: Uint8Array<ArrayBuffer>;
  durationMs: number;
}

/** Frames that differ, after which they come again: encoding them takes longest. */
const DISTINCT_FRAMES = 8;

/** Every frame is a key frame: noise is as long as a frame can get, and any place can be sought. */
export async function recordNoise(
  page: Page,
  { frames, frameMs }: { frames: number; frameMs: number },
): Promise<Video> {
  const [width, height] = [640, 360];
  const encoded = await page.evaluate(
    async ({ width, height, frames, frameMs }): Promise<string[]> => {
      const chunks: string[] = [];
      let fail: (error: Error) => void = () => undefined;
      const failed = new Promise<never>((_, reject) => {
        fail = reject;
      });
      const encoder = new VideoEncoder({
        output(chunk) {
          const bytes = new Uint8Array(chunk.byteLength);
          chunk.copyTo(bytes);
          let letters = "";
          for (const byte of bytes) letters += String.fromCharCode(byte);
          chunks.push(btoa(letters));
        },
        error: fail,
      });
      encoder.configure({ codec: "vp8", width, height, bitrate: 16_000_000, framerate: 1000 / frameMs });
      const pixels = new Uint8Array(width * height * 4);
      for (let index = 0; index < frames; index++) {
        for (let at = 0; at < pixels.length; at += 65_536) {
          crypto.getRandomValues(pixels.subarray(at, at + 65_536));
        }
        const init = {
          format: "RGBX",
          codedWidth: width,
          codedHeight: height,
          timestamp: index * frameMs * 1000,
        };
        const frame = new VideoFrame(pixels, init as VideoFrameBufferInit);
        encoder.encode(frame, { keyFrame: true });
        frame.close();
      }
      await Promise.race([encoder.flush(), failed]);
      encoder.close();
      return chunks;
    },
    { width, height, frames: DISTINCT_FRAMES, frameMs },
  );
  const distinct = encoded.map((base64) => Buffer.from(base64, "base64"));
  const all = Array.from({ length: frames }, (_, index) => ({
    timeMs: index * frameMs,
    vp8: distinct[index % distinct.length] as Buffer,
  }));
  const durationMs = frames * frameMs;
  return { bytes: new Uint8Array(webm(all, { width, height, durationMs })), durationMs };
}

/** The index stands before the frames, of which each is a cluster of its own. */
function webm(frames: Frame[], of: { width: number; height: number; durationMs: number }): Buffer {
  const header = element("1a45dfa3", [
    element("4282", Buffer.from("webm")),
    ...[number("4286", 1), number("42f7", 1), number("42f2", 4), number("42f3", 8)],
    ...[number("4287", 2), number("4285", 2)],
  ]);
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(of.durationMs);
  const app = Buffer.from("shoal");
  const info = element("1549a966", [
    number("2ad7b1", 1_000_000),
    ...[element("4489", duration), element("4d80", app), element("5741", app)],
  ]);
  const track = element("ae", [
    ...[number("d7", 1), number("73c5", 1), number("83", 1), element("86", Buffer.from("V_VP8"))],
    element("e0", [number("b0", of.width), number("ba", of.height)]),
  ]);
  const tracks = element("1654ae6b", [track]);
  const clusters = frames.map(({ timeMs, vp8 }) => {
    // Track 1, at the cluster's time, a key frame.
    const block = Buffer.concat([Buffer.from([0x81, 0, 0, 0x80]), vp8]);
    return element("1f43b675", [number("e7", timeMs), element("a3", block)]);
  });
  const cuesFrom = (firstBytes: number) => {
    let at = firstBytes;
    return element(
      "1c53bb6b",
      frames.map(({ timeMs }, index) => {
        const place = element("b7", [number("f7", 1), number("f1", at)]);
        at += clusters[index]?.length ?? 0;
        return element("bb", [number("b3", timeMs), place]);
      }),
    );
  };
  // All numbers are of one length, so the index is as long wherever it points.
  const before = info.length + tracks.length;
  const cues = cuesFrom(before + cuesFrom(0).length);
  return Buffer.concat([header, element("18538067", [info, tracks, cues, ...clusters])]);
}

function element(id: string, content: Buffer | Buffer[]): Buffer {
  const bytes = Array.isArray(content) ? Buffer.concat(content) : content;
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(bytes.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id, "hex"), size, bytes]);
}

function number(id: string, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(Math.round(value)));
  return element(id, bytes);
}
