/**
 * Which of the connected peers is asked to download a file, and what came of it. Called by the rows of files and folders and by
 * the shared card.
 */
import { useSignal } from "@preact/signals";
import { calledName } from "../../client/called-name.ts";
import { folderNameOf } from "../../spelling/folder-name.ts";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { EmptyState } from "../elements/empty-state.tsx";
import { FileName } from "../elements/file-name.tsx";
import { PeerDot } from "../elements/peer-dot.tsx";
import { SeenAs, useOwnName } from "../peers/own-name.tsx";
import { PeerName } from "../peers/peer-name.tsx";
import { namedFirst, TRANSPORT_WORDS } from "../peers/peer-words.ts";
import { useApp } from "../state/app-state.ts";
import { inSwarm, type Peer, type SentInvitation } from "../state/entries.ts";
import { copyLinks, type NamedFile } from "./file-actions.ts";
import "./send-dialog.css";

export function SendDialog({ file, onClose }: { file: NamedFile; onClose: () => void }) {
  const app = useApp();
  const own = useOwnName();
  const peers = inSwarm(app.peers.value.value ?? []).sort(namedFirst);
  return (
    <Dialog
      title={
        <>
          Send <FileName name={file.name} />
        </>
      }
      onClose={onClose}
    >
      {peers.length === 0 ? (
        <EmptyState
          title="Nobody is connected"
          actions={
            <Button icon="link" onClick={() => void copyLinks(app, [file])}>
              Copy link
            </Button>
          }
        >
          <p>Hand on the link instead: whoever opens it is connected, and can be sent to from then on.</p>
        </EmptyState>
      ) : (
        <>
          <p class="quiet small">Who is asked can get it, or leave it. Nothing is sent before.</p>
          <ul class="send-dialog-peers">
            {peers.map((peer) => (
              <PeerRow key={peer.id} peer={peer} file={file} />
            ))}
          </ul>
          {peers.some(({ name }) => name === null) && (
            <p class="quiet small">
              Who chose no name has two words made of its id, which stand on the Peers screen there.
            </p>
          )}
          <SeenAs own={own} />
        </>
      )}
    </Dialog>
  );
}

function PeerRow({ peer, file }: { peer: Peer; file: NamedFile }) {
  const app = useApp();
  const state = useSignal<"idle" | "asking" | "asked">("idle");
  const name = calledName(peer);
  const sent = app.sent.value.value?.find(
    ({ peer_id, file_id }) => peer_id === peer.id && file_id === file.id,
  );
  const answer = sent && answerWords(sent);
  const wasAsked = sent !== undefined && answer === undefined && state.value === "idle";
  const ask = async () => {
    state.value = "asking";
    try {
      await app.client.invite(peer.id, file.id);
      state.value = "asked";
      // Events tell of answers alone.
      void app.sent.refresh().catch(() => undefined);
      app.toasts.say({ text: `${name} was asked.`, tone: "plain" });
    } catch (error) {
      state.value = "idle";
      app.toasts.showError(error);
    }
  };
  return (
    <li>
      <PeerDot peerId={peer.id} />
      <span class="send-dialog-who">
        <PeerName {...peer} />
        <span class="quiet small">
          {TRANSPORT_WORDS[peer.transport]}
          {wasAsked && " · asked before"}
        </span>
      </span>
      {answer !== undefined || state.value === "asked" ? (
        <span class="quiet">{answer ?? "Asked"}</span>
      ) : (
        <Button
          icon="up"
          busy={state.value === "asking"}
          label={`Send to ${name}`}
          onClick={() => void ask()}
        >
          Send
        </Button>
      )}
    </li>
  );
}

/** What came of it; nothing until the peer has begun. Of a folder its list was sent, whose files the peer asks for by itself. */
function answerWords({ name, status }: SentInvitation): string | undefined {
  if (status === "sent") return undefined;
  if (folderNameOf(name) !== undefined) return "Took it";
  return status === "downloaded" ? "Has it" : "Is getting it";
}
