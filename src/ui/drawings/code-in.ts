/**
 * The text of a QR code in a picture: what a camera sees just now, or a file, as a screenshot that somebody sent. Called by
 * qr-scanner; calls the package qr.
 */
import { decodeQR } from "qr/decode.js";
import { MAX_SCANNED_PIXELS } from "./limits.ts";

/** Undefined where none is to be read. */
export function codeInVideo(video: HTMLVideoElement, canvas: HTMLCanvasElement): string | undefined {
  return codeIn(video, video.videoWidth, video.videoHeight, canvas);
}

/** The same, and undefined for a file that is no picture. */
export async function codeInFile(file: File): Promise<string | undefined> {
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (picture === undefined) return undefined;
  try {
    const scale = Math.min(1, MAX_SCANNED_PIXELS / Math.max(picture.width, picture.height));
    const [width, height] = [Math.ceil(picture.width * scale), Math.ceil(picture.height * scale)];
    return codeIn(picture, width, height, document.createElement("canvas"));
  } finally {
    picture.close();
  }
}

function codeIn(
  picture: CanvasImageSource,
  width: number,
  height: number,
  canvas: HTMLCanvasElement,
): string | undefined {
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (width === 0 || context === null) return undefined;
  canvas.width = width;
  canvas.height = height;
  // Of a picture whose ground is clear, the decoder would take that for black.
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  context.drawImage(picture, 0, 0, width, height);
  try {
    return decodeQR(context.getImageData(0, 0, width, height));
  } catch {
    // The package's way to say that there is no code in the picture.
    return undefined;
  }
}
