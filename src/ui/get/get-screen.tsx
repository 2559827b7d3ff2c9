/**
 * What a link opens: the file it names, who has it, and one button. Shows the download piece by piece and what to do with
 * the file once it is here. Called by the shell with the link of the route.
 */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Advice } from "../elements/advice.tsx";
import { Button } from "../elements/button.tsx";
import { fileKind, isShown } from "../elements/file-kind.ts";
import { fileSizeText } from "../elements/file-size.ts";
import { FileStamp } from "../elements/file-stamp.tsx";
import { MakeRoom } from "../elements/make-room.tsx";
import { countText, percentText } from "../elements/quantities.ts";
import { Contours } from "../files/contours.tsx";
import { copyLinks, type NamedFile, saveFile, saveFolder } from "../files/file-actions.ts";
import { LinkDialog } from "../files/link-dialog.tsx";
import { OpenedFile } from "../files/opened-file.tsx";
import { folderNameOf } from "../folders/folder-name.ts";
import { type FileLink, fragmentOf } from "../links.ts";
import { HolderNames } from "../peers/holder-names.tsx";
import { wayText } from "../peers/peer-words.ts";
import { type AppState, useApp } from "../state/app-state.ts";
import type { NetworkFile, Transfer } from "../state/entries.ts";
import type { NodePhase } from "../state/node-phase.ts";
import { NotificationOffer } from "../transfers/notification-offer.tsx";
import { TransferActions } from "../transfers/transfer-actions.tsx";
import { TransferPieces } from "../transfers/transfer-pieces.tsx";
import { adviceOn, isRunning, isUnfinished, statusText } from "../transfers/transfer-words.ts";
import { AboutLink } from "./about-link.tsx";
import "./get-screen.css";
import { useDial } from "./use-dial.ts";

export function GetScreen() {
  const { router } = useApp();
  const route = router.route.value;
  return route.screen === "get" ? <LinkedFile link={route.link} /> : null;
}

function LinkedFile({ link }: { link: FileLink }) {
  const app = useApp();
  const dial = useDial(link.addresses);
  const local = app.files.value.value?.find(({ id }) => id === link.fileId);
  const offer = app.network.value.value?.find(({ id }) => id === link.fileId);
  // That a transfer is over may be heard before its file is known to be whole.
  const transfer = app.transfers.value.value?.find(
    (entry) =>
      entry.file_id === link.fileId &&
      (isUnfinished(entry) ||
        entry.status === "failed" ||
        (entry.status === "completed" && local !== undefined)),
  );
  /** Stays open when the rest of the file comes meanwhile; a folder is opened as soon as its list is here. */
  const isPreviewed = useSignal(false);
  const preview = () => (isPreviewed.value = true);
  // A file that nobody named yet has its id for a name.
  const named = [local, offer, transfer].find((entry) => entry !== undefined && entry.name !== link.fileId);
  const fileName = named?.name ?? link.name ?? "A file without a name";
  const isFolder = fileKind(fileName) === "folder";
  const name = folderNameOf(fileName) ?? fileName;
  useEffect(() => {
    document.title = `${name} · Shoal`;
  }, [name]);
  const size = local?.size ?? offer?.size ?? transfer?.size ?? link.sizeBytes;

  return (
    <article class="get-screen">
      <Contours inner />
      <FileStamp name={fileName} />
      <h1>
        <bdi>{name}</bdi>
      </h1>
      <p class="get-screen-size quiet figures">
        {size === undefined ? "Size not known yet" : fileSizeText(fileName, size)}
      </p>
      {local?.complete ? (
        <Here file={local} onPreview={preview} />
      ) : transfer ? (
        <Coming transfer={transfer} isHeld={local !== undefined} onPreview={preview} />
      ) : (
        <NotYet
          link={link}
          name={name}
          ask={isFolder ? "See what is in it" : "Get this file"}
          offer={offer}
          dial={dial.value}
          onAsked={isFolder ? preview : () => {}}
        />
      )}
      <AboutLink link={link} name={name} holders={offer?.peers ?? []} />
      {isPreviewed.value && local && (
        <OpenedFile file={local} addresses={link.addresses} onClose={() => (isPreviewed.value = false)} />
      )}
    </article>
  );
}

interface NotYetProps {
  link: FileLink;
  name: string;
  /** What the button says. */
  ask: string;
  offer: NetworkFile | undefined;
  dial: string;
  onAsked: () => void;
}

/** Nothing asked for yet. */
function NotYet({ link, name, ask, offer, dial, onAsked }: NotYetProps) {
  const app = useApp();
  const busy = useSignal(false);
  const holders = offer?.peers ?? [];
  const { phase } = app.phase.value;
  const isReady = phase === "running";

  async function get(): Promise<void> {
    busy.value = true;
    try {
      const { file_id: fileId } = await app.client.download({
        file_id: link.fileId,
        ...(link.name !== undefined && { name: link.name }),
        ...(link.unlisted && { unlisted: true }),
      });
      // One file has many spellings of its id, and the lists know one.
      app.toasts.say({ text: `Getting ${name}.`, tone: "plain" });
      onAsked();
      if (fileId !== link.fileId) app.router.open(fragmentOf({ ...link, fileId }));
      await Promise.all([app.transfers.refresh(), app.files.refresh()]);
    } catch (error) {
      app.toasts.showError(error);
    } finally {
      busy.value = false;
    }
  }

  return (
    <>
      <Button
        weight="main"
        icon="down"
        busy={busy.value}
        disabled={!isReady}
        label={`${ask}, ${name}`}
        onClick={() => void get()}
      >
        {busy.value ? "Asking…" : ask}
      </Button>
      <p class="get-screen-wait quiet" role="status">
        {!isReady ? unreadyText(phase) : holders.length > 0 ? <OfferedBy holders={holders} /> : dial}
      </p>
    </>
  );
}

/** Why nothing runs, a notice above the screen says. */
function unreadyText(phase: NodePhase["phase"]): string {
  return phase === "starting"
    ? "The node in this page is starting. That takes a moment the first time."
    : "You can get it as soon as the node runs.";
}

function OfferedBy({ holders }: { holders: readonly string[] }) {
  const { peers } = useApp();
  return (
    <>
      <HolderNames ids={holders} count={countText(holders.length, "peer")} />{" "}
      {holders.length === 1 ? "has" : "have"} it. {wayText(holders, peers.value.value ?? [])}
    </>
  );
}

interface ComingProps {
  transfer: Transfer;
  /** Some of it can be read. */
  isHeld: boolean;
  onPreview: () => void;
}

/** Under way, waiting or failed. */
function Coming({ transfer, isHeld, onPreview }: ComingProps) {
  const kind = fileKind(transfer.name);
  const advice = adviceOn(transfer);
  const canPlay = (kind === "video" || kind === "audio") && isHeld && isRunning(transfer);
  return (
    <section class="get-screen-coming" aria-label="Download">
      <p class="get-screen-share figures">
        <strong>{percentText(transfer.progress)}</strong>
        <span class="quiet">{statusText(transfer)}</span>
      </p>
      <TransferPieces transfer={transfer} />
      {advice && <Advice>{advice}</Advice>}
      {transfer.storage_full && <MakeRoom />}
      <div class="get-screen-actions">
        {canPlay && (
          <Button weight="main" icon="play" onClick={onPreview}>
            Play while it comes
          </Button>
        )}
        <TransferActions transfer={transfer} />
      </div>
      <NotificationOffer />
    </section>
  );
}

/** All of it is here. */
function Here({ file, onPreview }: { file: NamedFile; onPreview: () => void }) {
  const app = useApp();
  const isLinkShown = useSignal(false);
  const kind = fileKind(file.name);
  const isFolder = kind === "folder";
  const isWhole = !isFolder || isFolderHere(app, file.id);
  const save = isFolder ? saveFolder : saveFile;
  return (
    <>
      <p class="get-screen-done">
        {isWhole
          ? "All of it is here and checked. You share it on while this page is open."
          : "What is in it is known here. Open it to get all of its files."}
      </p>
      <div class="get-screen-actions">
        {isShown(kind) && (
          <Button
            weight="main"
            icon={kind === "video" || kind === "audio" ? "play" : "open"}
            onClick={onPreview}
          >
            {kind === "video" || kind === "audio" ? "Play" : "Open"}
          </Button>
        )}
        {isWhole && (
          <Button weight={isShown(kind) ? "plain" : "main"} icon="save" onClick={() => void save(app, file)}>
            {isFolder ? "Save as a ZIP" : "Save to disk"}
          </Button>
        )}
        <Button icon="link" onClick={() => void copyLinks(app, [file])}>
          Copy link
        </Button>
        <Button icon="qr" onClick={() => (isLinkShown.value = true)}>
          QR code
        </Button>
      </div>
      {isLinkShown.value && <LinkDialog file={file} onClose={() => (isLinkShown.value = false)} />}
    </>
  );
}

/** Its files, too, as far as its list was read. */
function isFolderHere({ files, listing }: AppState, listId: string): boolean {
  const here = new Set(files.value.value?.flatMap(({ id, complete }) => (complete ? [id] : [])));
  return listing.value?.folders.get(listId)?.files.every(({ file_id }) => here.has(file_id)) ?? false;
}
