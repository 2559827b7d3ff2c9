/** Where this node can be reached, for others to copy or scan; folded, since addresses come and go. Called by peers-screen. */
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { QrFrame } from "../elements/qr-frame.tsx";
import { useApp } from "../state/app-state.ts";
import { copyText } from "../state/copy-text.ts";
import "./own-addresses.css";

export function OwnAddresses() {
  const { info, toasts } = useApp();
  const shown = useSignal<string | undefined>(undefined);
  const own = info.value.value;
  const listId = useId();

  return (
    <details class="own-addresses">
      <summary>Where you can be reached</summary>
      {own === undefined && <p class="quiet">Your addresses appear here as soon as the node has started.</p>}
      {own?.addresses.length === 0 && (
        <p class="quiet">
          Nowhere yet: a page can be reached through a relay only, and none is met. You can connect to others
          all the same.
        </p>
      )}
      {own !== undefined && own.addresses.length > 0 && (
        <ul>
          {own.addresses.map((address, index) => (
            <li key={address}>
              <code id={`${listId}-${index}`}>{address}</code>
              <Button
                weight="bare"
                icon="copy"
                iconOnly
                describedBy={`${listId}-${index}`}
                onClick={() => void copyText(toasts, address, "Address copied.")}
              >
                Copy address
              </Button>
              <Button
                weight="bare"
                icon="qr"
                iconOnly
                describedBy={`${listId}-${index}`}
                onClick={() => (shown.value = address)}
              >
                Show QR code
              </Button>
            </li>
          ))}
        </ul>
      )}
      {shown.value !== undefined && (
        <Dialog title="Scan to connect" onClose={() => (shown.value = undefined)}>
          <QrFrame text={shown.value} label="QR code of this node's address" />
          <p class="small">
            <code class="own-addresses-text">{shown.value}</code>
          </p>
        </Dialog>
      )}
    </details>
  );
}
