/** Connects to a peer whose address one has: typed, pasted or scanned. Called by peers-screen; calls the client. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { LineForm } from "../elements/line-form.tsx";
import { parseLink } from "../links.ts";
import { useApp } from "../state/app-state.ts";
import { messageOf } from "../state/toasts.ts";

export function ConnectForm() {
  const { client, peers, toasts } = useApp();
  const text = useSignal("");
  const error = useSignal<string | undefined>(undefined);
  const busy = useSignal(false);

  async function connect(addresses: readonly string[]): Promise<void> {
    const sent = text.value;
    error.value = undefined;
    busy.value = true;
    try {
      await Promise.any(addresses.map((address) => client.connect(address)));
      if (text.value === sent) text.value = "";
      // What it is called and offers is known a moment later.
      toasts.show({ text: "Connected. What that peer offers appears on the Network screen." });
      await peers.refresh();
    } catch (thrown) {
      const why = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
      // At another address that is typed by now it would be taken for that one's.
      if (text.value !== sent) toasts.showError(why);
      else error.value = `${messageOf(why)} Is that peer running, and can this network reach it?`;
    } finally {
      busy.value = false;
    }
  }

  function connectTo(given: string): boolean {
    const addresses = addressesIn(given);
    if (addresses.length > 0) void connect(addresses);
    return addresses.length > 0;
  }

  return (
    <LineForm
      label="Connect to a peer"
      placeholder="/ip4/192.0.2.1/tcp/4001/ws/p2p/12D3…"
      hint="A peer's address is on its own Peers screen."
      text={text}
      error={error}
      button={
        <Button type="submit" busy={busy.value}>
          {busy.value ? "Connecting…" : "Connect"}
        </Button>
      }
      scanTitle="Scan a peer's QR code"
      onText={connectTo}
      refusal={() => "An address starts with a slash, such as /ip4/192.0.2.1/tcp/4001/p2p/12D3…"}
    />
  );
}

/** A multiaddr, or those in a link to a file. */
function addressesIn(text: string): readonly string[] {
  const trimmed = text.trim();
  return trimmed.startsWith("/") ? [trimmed] : (parseLink(trimmed)?.addresses ?? []);
}
