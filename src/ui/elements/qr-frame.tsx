/** A QR code, with its room before its code is loaded. Called by dialogs that have something to scan. */
import { lazy } from "./lazy.tsx";
import "./qr-frame.css";

const QrCode = lazy(() => import("../drawings/qr-code.tsx").then((module) => module.QrCode));

export function QrFrame(code: { text: string; label: string }) {
  return (
    <div class="qr-frame">
      <QrCode {...code} />
    </div>
  );
}
