/**
 * A file of a link before anybody asked for it: who has it, or sends it, and the button that gets it, by which it can be
 * asked for while the node starts. Called by get-screen; calls the client.
 */
import { Button } from "../elements/button.tsx";
import { countText } from "../elements/quantities.ts";
import { type FileLink, fragmentOf } from "../links.ts";
import { HolderNames } from "../peers/holder-names.tsx";
import { PeerName } from "../peers/peer-name.tsx";
import { wayText } from "../peers/peer-words.ts";
import { useApp } from "../state/app-state.ts";
import type { Invitation, NetworkFile } from "../state/entries.ts";
import { type NodePhase, whenRunning } from "../state/node-phase.ts";
import { downloadOf } from "./get-each.ts";

interface NotYetProps {
  link: FileLink;
  name: string;
  /** What the button says. */
  ask: string;
  offer: NetworkFile | undefined;
  /** Of a peer that sends it. */
  invitation: Invitation | undefined;
  dial: string;
}

export function NotYet({ link, name, ask, offer, invitation, dial }: NotYetProps) {
  const app = useApp();
  const asked = app.asked.states.value.get(link.fileId);
  const holders = offer?.peers ?? [];
  const { phase } = app.phase.value;
  const isReady = phase === "running";

  /** Also where it was left meanwhile and is back. */
  function isOpen(): boolean {
    const route = app.router.route.value;
    return route.screen === "get" && route.link.fileId === link.fileId;
  }

  async function get(): Promise<void> {
    app.asked.set(link.fileId, "waiting");
    await whenRunning(app.phase);
    app.asked.set(link.fileId, "asking");
    // Before it is asked for: a small one is here, and told of, before the answer is.
    app.toasts.say({ text: `Getting ${name}.`, tone: "plain" });
    try {
      const { file_id: fileId } = await app.client.download(downloadOf(link));
      // One file has many spellings of its id, and the lists know one.
      if (fileId !== link.fileId && isOpen()) app.router.open(fragmentOf({ ...link, fileId }));
      await Promise.all([app.transfers.refresh(), app.files.refresh()]);
    } catch (error) {
      app.toasts.showError(error);
    } finally {
      app.asked.set(link.fileId, undefined);
    }
  }

  const isWaiting = asked === "waiting";
  const words = isWaiting ? "Waiting for the node…" : asked === undefined ? ask : "Asking…";
  return (
    <>
      <Button
        weight="main"
        icon="down"
        busy={asked !== undefined}
        disabled={phase === "failed"}
        label={`${words}, ${name}`}
        onClick={() => void get()}
      >
        {words}
      </Button>
      <p class="get-screen-wait quiet" role="status">
        {!isReady ? (
          unreadyText(phase, isWaiting)
        ) : holders.length > 0 && offer?.complete_peers !== 0 ? (
          <>
            <Holding holders={holders} what="it" /> {wayText(holders, app.peers.value.value ?? [])}
          </>
        ) : invitation ? (
          <SentBy invitation={invitation} />
        ) : holders.length > 0 ? (
          <>
            <Holding holders={holders} what="some of it" /> {link.addresses.length > 0 && dial}
          </>
        ) : (
          dial
        )}
      </p>
    </>
  );
}

/** Why nothing runs, a notice above the screen says. */
function unreadyText(phase: NodePhase["phase"], isWaiting: boolean): string {
  if (isWaiting) return "It is asked for as soon as the node runs.";
  return phase === "starting"
    ? "The node in this page is starting. That takes a moment the first time."
    : "You can get it as soon as the node runs.";
}

function Holding({ holders, what }: { holders: readonly string[]; what: string }) {
  return (
    <>
      <HolderNames ids={holders} count={countText(holders.length, "peer")} />{" "}
      {holders.length === 1 ? "has" : "have"} {what}.
    </>
  );
}

/** What is sent unlisted nobody offers. */
function SentBy({ invitation: { peer_id: id, peer_name: name } }: { invitation: Invitation }) {
  const { peers } = useApp();
  return (
    <>
      <PeerName id={id} name={name} /> sends it to you. {wayText([id], peers.value.value ?? [])}
    </>
  );
}
