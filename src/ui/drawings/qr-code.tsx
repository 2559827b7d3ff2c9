/**
 * A text as a QR code (ISO/IEC 18004), dark on light whatever the theme, since many scanners read no other way. Called by
 * elements/qr-frame; calls the package qr.
 */
import { useMemo } from "preact/hooks";
import { encodeQR } from "qr";
import { MAX_QR_BYTES } from "./limits.ts";
import { qrPath } from "./qr-path.ts";
import "./qr-code.css";

/** Modules of light ground that scanners want around a code (5.3.8 there). */
const QUIET_MODULES = 4;

export function QrCode({ text, label }: { text: string; label: string }) {
  const modules = useMemo(() => modulesOf(text), [text]);
  if (modules === undefined) {
    return <p class="qr-code-refusal">This link is too long for a QR code. Copy it instead.</p>;
  }
  const side = modules.length;
  return (
    <svg class="qr-code" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label}>
      <path d={qrPath(modules)} shape-rendering="crispEdges" />
    </svg>
  );
}

function modulesOf(text: string): boolean[][] | undefined {
  if (new TextEncoder().encode(text).length > MAX_QR_BYTES) return undefined;
  return encodeQR(text, "raw", { ecc: "medium", border: QUIET_MODULES });
}
