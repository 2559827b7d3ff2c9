/**
 * Reads a QR code by the camera: asks for it, shows its picture, and gives the text of each code seen until one is taken; or
 * out of a picture that is chosen. Called by the screens that take links and addresses, by dynamic import; calls code-in.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { FileButton } from "../elements/file-button.tsx";
import { codeInFile, codeInVideo } from "./code-in.ts";
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
  /** What is wrong with the picture that was chosen. */
  const [lack, setLack] = useState<string | undefined>(undefined);
  /** The last picture, as long as the scanner is open: what is read out of another comes too late. */
  const chosen = useRef<File | undefined>(undefined);
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
    return () => {
      stop.abort();
      chosen.current = undefined;
    };
  }, []);

  async function look(file: File): Promise<void> {
    setLack(undefined);
    chosen.current = file;
    const text = await codeInFile(file);
    if (chosen.current !== file) return;
    if (text === undefined)
      setLack("No code can be read in that picture. Choose one where it is whole and sharp.");
    else if (!take.current(text)) setLack("The code in that picture is none of Shoal's.");
  }

  return (
    <>
      {refusal === undefined ? (
        <figure class="qr-scanner">
          <video ref={video} muted playsInline aria-label="The camera's picture" />
          <figcaption aria-live="polite">
            {isOther ? "That code is none of Shoal's. Still looking." : "Hold the code inside the frame."}
          </figcaption>
        </figure>
      ) : (
        <p class="qr-scanner-refusal" role="alert">
          {refusal}
        </p>
      )}
      <FileButton filesLabel="Picture of a QR code" accept="image/*" onFiles={([file]) => void look(file)}>
        Choose a picture of the code
      </FileButton>
      {lack !== undefined && (
        <p class="qr-scanner-refusal" role="alert">
          {lack}
        </p>
      )}
    </>
  );
}

/**
 * Settles when a text was taken, or when the signal aborts.
 * @throws what getUserMedia throws; AbortError where the camera ends
 */
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
      if (!stream.active) throw new DOMException("", "AbortError");
      const text = codeInVideo(video, canvas);
      if (text !== undefined && onText(text)) return;
      await new Promise((resolve) => setTimeout(resolve, SCAN_INTERVAL_MS));
    }
  } finally {
    for (const track of stream.getTracks()) track.stop();
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
  if (name === "AbortError")
    return "The camera stopped. Close this and scan again, or paste the link instead.";
  return "The camera can't be used here. Paste the link instead.";
}
