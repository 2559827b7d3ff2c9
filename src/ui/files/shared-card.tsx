/** What has just been shared, with its link: the moment that the page is for. Called by files-screen; calls file-actions. */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { Icon } from "../elements/icon.tsx";
import { bytesText } from "../elements/quantities.ts";
import { useApp } from "../state/app-state.ts";
import { canShareLinks, copyLinks, linkTo, type NamedFile, shareLink } from "./file-actions.ts";
import { LinkDialog } from "./link-dialog.tsx";
import "./shared-card.css";

export function SharedCard() {
  const app = useApp();
  const dialogFor = useSignal<NamedFile | undefined>(undefined);
  const shared = app.imports.shared.value
    .filter(({ fileId }) => !app.deletions.hidden.value.has(fileId))
    .map(({ fileId, name, sizeBytes }) => ({ id: fileId, name, size: sizeBytes }));
  const [first] = shared;
  if (first === undefined) return null;
  const isOne = shared.length === 1;
  const total = shared.reduce((sum, { size }) => sum + size, 0);
  return (
    <section class="shared-card" aria-label="Just shared">
      <header>
        <span class="shared-card-check">
          <Icon name="check" />
        </span>
        <div role="status">
          <h2>
            {isOne ? (
              <>
                <bdi>{first.name}</bdi> is shared
              </>
            ) : (
              `${shared.length} files are shared`
            )}
          </h2>
          <p class="quiet small">
            {bytesText(total)} · send the link{isOne ? "" : "s"}, and keep this page open until they have it
          </p>
        </div>
        <Button weight="bare" icon="close" iconOnly onClick={() => app.imports.forgetShared()}>
          Dismiss
        </Button>
      </header>
      <div class="shared-card-link">
        {isOne && (
          <output class="shared-card-url" aria-label="Link">
            {linkTo(app, first)}
          </output>
        )}
        <Button weight="main" icon="copy" onClick={() => void copyLinks(app, shared)}>
          {isOne ? "Copy link" : `Copy ${shared.length} links`}
        </Button>
        {isOne && (
          <Button icon="qr" onClick={() => (dialogFor.value = first)}>
            QR code
          </Button>
        )}
        {isOne && canShareLinks() && (
          <Button icon="share" onClick={() => void shareLink(app, first)}>
            Share…
          </Button>
        )}
      </div>
      {dialogFor.value && <LinkDialog file={dialogFor.value} onClose={() => (dialogFor.value = undefined)} />}
    </section>
  );
}
