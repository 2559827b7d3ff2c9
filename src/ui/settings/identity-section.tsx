/** The key that makes this node who it is: to keep in a file, or to bring from another browser. Called by settings-screen. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { ConfirmDialog } from "../elements/confirm-dialog.tsx";
import { FileButton } from "../elements/file-button.tsx";
import { useApp } from "../state/app-state.ts";
import { saveBlob } from "../state/save-blob.ts";
import { messageOf } from "../state/toasts.ts";
import { type IdentityFile, identityFileText, readIdentityFile } from "./identity-file.ts";
import { Section } from "./section.tsx";
import type { Identity } from "./settings-state.ts";
import "./identity-section.css";

export function IdentitySection({ nodeId, isOffered }: Identity) {
  const { client, reload, toasts } = useApp();
  const brought = useSignal<IdentityFile | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);

  async function exportKey(): Promise<void> {
    try {
      const identity = await client.identity();
      const text = identityFileText({ nodeId: identity.node_id, privateKey: identity.private_key });
      const file = new Blob([text], { type: "application/json" });
      saveBlob(file, `shoal-identity-${identity.node_id.slice(-8)}.json`);
      toasts.show({ text: "Keep the file secret: who has it can be this node." });
    } catch (caught) {
      toasts.showError(caught);
    }
  }

  async function take(file: File): Promise<void> {
    error.value = undefined;
    try {
      const identity = readIdentityFile(await file.text());
      // What is kept, which after one was brought is not what runs.
      const { private_key: kept } = await client.identity();
      if (identity.privateKey !== kept) brought.value = identity;
      else toasts.show({ text: "This is the identity that this node has already. Nothing changes." });
    } catch (caught) {
      error.value = messageOf(caught);
    }
  }

  async function bring({ privateKey }: IdentityFile): Promise<void> {
    await client.replaceIdentity(privateKey);
    toasts.show({
      text: "From the next start on this node is the other one.",
      action: { label: "Start it anew", run: reload },
    });
  }

  return (
    <Section
      name="identity"
      title="Identity"
      about="A key pair. Its public half is the node's id, by which others know it."
    >
      <code class="identity-id">{nodeId}</code>
      {!isOffered && <p class="quiet">This node's key is a file in its data folder; copy it there.</p>}
      {isOffered && (
        <div class="identity-actions">
          <Button icon="save" onClick={() => void exportKey()}>
            Save to a file
          </Button>
          <FileButton
            icon="up"
            filesLabel="Identity file"
            accept=".json,application/json"
            onFiles={([file]) => void take(file)}
          >
            Bring from a file…
          </FileButton>
        </div>
      )}
      {error.value !== undefined && (
        <p class="identity-error" role="alert">
          {error.value}
        </p>
      )}
      {brought.value !== undefined && (
        <ConfirmDialog
          title="Be this node?"
          keepLabel="Stay who I am"
          actLabel="Be this node"
          act={() => bring(brought.value as IdentityFile)}
          onClose={() => (brought.value = undefined)}
        >
          <p>
            From its next start on this node has the id{" "}
            <code class="identity-id">{brought.value.nodeId}</code>. Its files stay; its present key is gone
            unless you save it first. Two nodes with one key at the same time disturb each other.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
