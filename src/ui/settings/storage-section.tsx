/** Room for files: how much is taken, how much may be, and whether the browser may clear it. Called by settings-screen. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { bytesText } from "../elements/quantities.ts";
import { useApp } from "../state/app-state.ts";
import { usePolled } from "../state/poll.ts";
import { STORAGE_INTERVAL_MS } from "./limits.ts";
import { Section } from "./section.tsx";
import { SettingForm } from "./setting-form.tsx";
import { readSize, sizeText } from "./setting-texts.ts";
import type { SettingsPart, Storage } from "./settings-state.ts";
import "./storage-section.css";

interface StorageSectionProps extends SettingsPart {
  first: Storage | undefined;
}

export function StorageSection({ first, ...part }: StorageSectionProps) {
  const { client } = useApp();
  // What is left is another at once where the limit is.
  const key = `storage ${part.settings.max_storage}`;
  const storage = usePolled(() => client.storage(), STORAGE_INTERVAL_MS, key, true).value ?? first;
  return (
    <Section
      name="storage"
      title="Storage"
      about="Files are kept in pieces, each once, however many files have it."
    >
      {storage !== undefined && (
        <>
          <div class="storage-room">
            <progress aria-label="Room taken" max={storage.used + storage.available} value={storage.used} />
            <p class="figures">
              {bytesText(storage.used)} taken, room for up to {bytesText(storage.available)} more
            </p>
          </div>
          <Persistence isPersisted={storage.persisted} />
        </>
      )}
      <SettingForm
        {...part}
        name="max_storage"
        label="Most room to take, GB"
        about="A share or download that would take more is refused."
        text={sizeText}
        read={readSize}
      />
    </Section>
  );
}

function Persistence({ isPersisted }: { isPersisted: boolean }) {
  const { host } = useApp();
  const isRefused = useSignal(false);
  const isGranted = useSignal(false);
  const error = useSignal(false);
  if (isPersisted || isGranted.value) {
    return <p>The files stay until you delete them.</p>;
  }
  const ask = async () => {
    try {
      isGranted.value = await host.askForPersistence();
      isRefused.value = !isGranted.value;
    } catch {
      error.value = true;
    }
  };
  return (
    <div class="storage-persistence">
      <p>The browser may clear the files when the disk runs full. Ask it to keep them:</p>
      <Button onClick={() => void ask()}>Keep my files</Button>
      <p class="small" role="status">
        {isRefused.value &&
          "The browser did not agree. If it asked you, allow it in its permissions for this site. If it did not, it agrees for pages that are installed or visited often: install Shoal below, then ask again."}
        {error.value && "The browser could not be asked just now. Try again."}
      </p>
    </div>
  );
}
