/**
 * Reads a QR code by the camera: asks for it, shows its picture, and gives the text of each code seen until one is taken.
 * Called by the screens that take links and addresses, by dynamic import; calls the package qr. The picture stays here.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { decodeQR } from "qr/decode.js";
import { SCAN_INTERVAL_MS } from "./limits.ts";
import "./qr-scanner.css";

interface QrScannerProps {
  /** True ends the scan; false, and the camera goes on looking. */
  onText: (text: string) => boolean;
}

export function QrScanner({ onText }: QrScannerProps) {
  const video = useRef<HTMLVideoElement>(null);
  const [refusal, setRefusal] = useState<string | undefined>(undefined);
  const [isOther, setOther] = useState(false);
  const take = useRef(onText);
  take.current = onText;

  useEffect(() => {
    const stop = new AbortController();
    const seen = (text: string) => {
      const isTaken = take.current(text);
      if (!isTaken) setOther(true);
      return isTaken;
    };
    scan(video.current as HTMLVideoElement, seen, stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) setRefusal(adviceOn(error));
    });
    return () => stop.abort();
  }, []);

  if (refusal !== undefined) {
    return (
      <p class="qr-scanner-refusal" role="alert">
        {refusal}
      </p>
    );
  }
  return (
    <figure class="qr-scanner">
      <video ref={video} muted playsInline aria-label="The camera's picture" />
      <figcaption aria-live="polite">
        {isOther ? "That code is none of Shoal's. Still looking." : "Hold the code inside the frame."}
      </figcaption>
    </figure>
  );
}

/** Settles when a text was taken, or when the signal aborts. @throws what getUserMedia throws */
async function scan(
  video: HTMLVideoElement,
  onText: (text: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  if (navigator.mediaDevices === undefined) throw new DOMException("", "SecurityError");
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  try {
    signal.throwIfAborted();
    video.srcObject = stream;
    await video.play();
    const canvas = document.createElement("canvas");
    while (!signal.aborted) {
      const text = codeIn(video, canvas);
      if (text !== undefined && onText(text)) return;
      await new Promise((resolve) => setTimeout(resolve, SCAN_INTERVAL_MS));
    }
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

function codeIn(video: HTMLVideoElement, canvas: HTMLCanvasElement): string | undefined {
  const { videoWidth: width, videoHeight: height } = video;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (width === 0 || context === null) return undefined;
  canvas.width = width;
  canvas.height = height;
  context.drawImage(video, 0, 0);
  try {
    return decodeQR(context.getImageData(0, 0, width, height));
  } catch {
    // The package's way to say that there is no code in the picture.
    return undefined;
  }
}

function adviceOn(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError") {
    return "The camera was not allowed. Allow it in the browser's site settings, or paste the link instead.";
  }
  if (name === "NotFoundError") return "This device has no camera. Paste the link instead.";
  if (name === "NotReadableError")
    return "Another program holds the camera. Close it, or paste the link instead.";
  return "The camera can't be used here. Paste the link instead.";
}
