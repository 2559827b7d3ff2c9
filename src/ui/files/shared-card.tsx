/**
 * What has just been shared, with its link: the moment that the page is for. It stands there as soon as files are read for it,
 * in the room that it takes when they are. Called by files-screen; calls file-actions and shared-links.
 */
import { useSignal } from "@preact/signals";
import { Advice } from "../elements/advice.tsx";
import { Button } from "../elements/button.tsx";
import { Field } from "../elements/field.tsx";
import { FileName } from "../elements/file-name.tsx";
import { Icon } from "../elements/icon.tsx";
import { bytesText, countText } from "../elements/quantities.ts";
import { commonFolder, partCount } from "../folders/folder-of.ts";
import { useApp } from "../state/app-state.ts";
import { canShareLinks, copyLinks, linkTo, type NamedFile, shareLink, UNINTRODUCED } from "./file-actions.ts";
import { LinkDialog } from "./link-dialog.tsx";
import { SendDialog } from "./send-dialog.tsx";
import { SentTo } from "./sent-to.tsx";
import "./shared-card.css";
import { linkedFiles, sharedFile } from "./shared-links.ts";

export function SharedCard() {
  const app = useApp();
  const dialog = useSignal<{ file: NamedFile; shows: "link" | "peers" } | undefined>(undefined);
  const shared = app.imports.shared.value.filter(({ fileId }) => !app.deletions.hidden.value.has(fileId));
  const reading = app.imports.list.value.filter(({ state }) => state !== "failed");
  const isReading = reading.length > 0;
  const isUnintroduced = app.isUnintroduced.value;
  const [first] = shared;
  const shown = first ?? reading[0];
  if (shown === undefined) return null;
  const count = shared.length + reading.length;
  const isOne = count === 1;
  const linkCount = partCount(count);
  const folder = isOne || isReading ? undefined : commonFolder(shared.map(({ path }) => path));
  /** What it is called, where it has a name. */
  const name = folder ?? (isOne ? shown.name : undefined);
  const total = [...shared, ...reading].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const close = () => {
    dialog.value = undefined;
  };
  const withLinks = (use: (files: readonly NamedFile[]) => void) =>
    void linkedFiles(app, shared).then(use, app.toasts.showError);
  const withLink = (use: (file: NamedFile) => void) =>
    withLinks(([file]) => {
      if (file !== undefined) use(file);
    });
  const isReady = first !== undefined && (isOne || !isReading);
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
            {name === undefined ? countText(count, "file") : <FileName name={name} />}
            {!isReading && (name === undefined ? " are shared" : " is shared")}
          </h2>
          <p class="quiet small">
            {folder !== undefined && `${countText(count, "file")}, `}
            {bytesText(total)} ·{" "}
            {isReading ? (
              comingText(isOne, linkCount, isUnintroduced)
            ) : (
              <SentTo isNamed={name !== undefined} linkCount={linkCount} />
            )}
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
              value={first === undefined ? "…" : linkTo(app, sharedFile(app, first))}
              onInput={() => {}}
              exact
              readOnly
            />
          </div>
        )}
        <Button
          weight="main"
          icon="copy"
          disabled={!isReady}
          onClick={() => withLinks((files) => void copyLinks(app, files))}
        >
          {isOne ? "Copy link" : linkCount === 1 ? "Copy one link to all" : `Copy all ${linkCount} links`}
        </Button>
        {linkCount === 1 && (
          <>
            <Button
              icon="qr"
              disabled={!isReady}
              onClick={() => withLink((file) => (dialog.value = { file, shows: "link" }))}
            >
              QR code
            </Button>
            <Button
              icon="up"
              disabled={!isReady}
              onClick={() => withLink((file) => (dialog.value = { file, shows: "peers" }))}
            >
              Send to a peer…
            </Button>
            {canShareLinks() && (
              <Button
                icon="share"
                disabled={!isReady}
                onClick={() => withLink((file) => void shareLink(app, file))}
              >
                Share…
              </Button>
            )}
          </>
        )}
      </div>
      <div class="shared-card-reach" role="status">
        {isUnintroduced && <Advice>{UNINTRODUCED}</Advice>}
      </div>
      {dialog.value?.shows === "link" && <LinkDialog file={dialog.value.file} onClose={close} />}
      {dialog.value?.shows === "peers" && <SendDialog file={dialog.value.file} onClose={close} />}
    </section>
  );
}

/** About as long as what SentTo says, so that they take as many lines. */
function comingText(isOne: boolean, linkCount: number, isUnintroduced: boolean): string {
  if (isUnintroduced) return `keep this page open until ${isOne ? "it is" : "they are"} read`;
  if (isOne) return "the link comes here; keep this page open until it is read";
  const links = linkCount === 1 ? "one link to all comes" : `${linkCount} links to all come`;
  return `${links} here; keep this page open until they are read`;
}
