/**
 * What has just been shared, with its link: the moment that the page is for. It stands there as soon as files are read for it,
 * in the room that it takes when they are. Called by files-screen; calls file-actions.
 */
import { useSignal } from "@preact/signals";
import { Button } from "../elements/button.tsx";
import { Field } from "../elements/field.tsx";
import { FileName } from "../elements/file-name.tsx";
import { Icon } from "../elements/icon.tsx";
import { bytesText, countText } from "../elements/quantities.ts";
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
  const reading = app.imports.list.value.filter(({ state }) => state !== "failed");
  const isReading = reading.length > 0;
  const [first] = shared;
  const named = first ?? reading[0];
  if (named === undefined) return null;
  const count = shared.length + reading.length;
  const isOne = count === 1;
  const sizeBytes = [...shared.map(({ size }) => size), ...reading.map(({ sizeBytes }) => sizeBytes)];
  const total = sizeBytes.reduce((sum, size) => sum + size, 0);
  return (
    <section
      class={`shared-card${isReading ? " reading" : ""}`}
      aria-label={isReading ? "Being shared" : "Just shared"}
    >
      <header>
        <span class="shared-card-check">
          <Icon name={isReading ? "link" : "check"} />
        </span>
        <div role="status">
          <h2>
            {isReading && "Reading "}
            {isOne ? <FileName name={named.name} /> : `${count} files`}
            {!isReading && (isOne ? " is shared" : " are shared")}
          </h2>
          <p class="quiet small">
            {bytesText(total)} · {isReading ? comingText(isOne) : sendText(isOne)}
          </p>
        </div>
        <Button weight="bare" icon="close" iconOnly onClick={() => app.imports.forgetShared()}>
          Dismiss
        </Button>
      </header>
      <div class="shared-card-link">
        {isOne && (
          <div class="shared-card-url">
            <Field
              label="Link"
              labelUnseen
              value={first === undefined ? "…" : linkTo(app, first)}
              onInput={() => {}}
              exact
              readOnly
            />
          </div>
        )}
        <Button
          weight="main"
          icon="copy"
          disabled={first === undefined}
          onClick={() => void copyLinks(app, shared)}
        >
          {isOne ? "Copy link" : `Copy ${countText(shared.length, "link")}`}
        </Button>
        {isOne && (
          <Button icon="qr" disabled={first === undefined} onClick={() => (dialogFor.value = first)}>
            QR code
          </Button>
        )}
        {isOne && canShareLinks() && (
          <Button
            icon="share"
            disabled={first === undefined}
            onClick={() => first && void shareLink(app, first)}
          >
            Share…
          </Button>
        )}
      </div>
      {dialogFor.value && <LinkDialog file={dialogFor.value} onClose={() => (dialogFor.value = undefined)} />}
    </section>
  );
}

// About as long as each other, so that they take as many lines.

function comingText(isOne: boolean): string {
  return isOne
    ? "the link comes here; keep this page open until it is read"
    : "links come here; keep this page open until they are read";
}

function sendText(isOne: boolean): string {
  return `send the link${isOne ? "" : "s"}, and keep this page open until they have it`;
}
