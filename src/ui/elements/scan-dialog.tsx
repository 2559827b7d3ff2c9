/** A dialog with the camera, open until a code was taken, by it or out of a picture. Called by line-form. */
import { Dialog } from "./dialog.tsx";
import { lazy } from "./lazy.tsx";

const QrScanner = lazy(() => import("../drawings/qr-scanner.tsx").then((module) => module.QrScanner));

interface ScanDialogProps {
  title: string;
  /** True where the text was of use. */
  onText: (text: string) => boolean;
  onClose: () => void;
}

export function ScanDialog({ title, onText, onClose }: ScanDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <QrScanner
        onText={(text) => {
          const isTaken = onText(text);
          if (isTaken) onClose();
          return isTaken;
        }}
      />
      <p class="quiet small">Pictures stay in this browser.</p>
    </Dialog>
  );
}
