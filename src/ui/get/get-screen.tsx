/**
 * What a link opens: the file it names, who has it, and one button. Shows the download piece by piece and what to do with
 * the file once it is here. Called by the shell with the link of the route.
 */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { shownName } from "../../spelling/folder-name.ts";
import { Advice } from "../elements/advice.tsx";
import { Button } from "../elements/button.tsx";
import { fileKind, isPlayed, isShown } from "../elements/file-kind.ts";
import { fileSizeText } from "../elements/file-size.ts";
import { FileStamp } from "../elements/file-stamp.tsx";
import { MakeRoom } from "../elements/make-room.tsx";
import { percentText } from "../elements/quantities.ts";
import { Contours } from "../files/contours.tsx";
import { copyLinks, type NamedFile, saveFile, saveFolder } from "../files/file-actions.ts";
import { LinkDialog } from "../files/link-dialog.tsx";
import { OpenedFile } from "../files/opened-file.tsx";
import { folderShareOf, folderText } from "../folders/folder-share.ts";
import { type FileLink, fragmentOf } from "../links.ts";
import { hrefOf } from "../router.ts";
import { useApp } from "../state/app-state.ts";
import type { Transfer } from "../state/entries.ts";
import { NotificationOffer } from "../transfers/notification-offer.tsx";
import { TransferActions } from "../transfers/transfer-actions.tsx";
import { TransferPieces } from "../transfers/transfer-pieces.tsx";
import { adviceOn, isRunning, statusText } from "../transfers/transfer-words.ts";
import { AboutLink } from "./about-link.tsx";
import "./get-screen.css";
import { LinkHeading } from "./link-heading.tsx";
import { NotYet } from "./not-yet.tsx";
import { useDial } from "./use-dial.ts";

export function GetScreen() {
  const { router } = useApp();
  const route = router.route.value;
  return route.screen === "get" ? <LinkedFile link={route.link} /> : null;
}

function LinkedFile({ link }: { link: FileLink }) {
  const app = useApp();
  const dial = useDial(link.addresses);
  const local = app.fileById.value.get(link.fileId);
  const offer = app.network.value.value?.find(({ id }) => id === link.fileId);
  const transfer = useComing(link.fileId);
  /** Stays open when the rest of the file comes meanwhile; a folder is opened as soon as its list is here. */
  const isPreviewed = useSignal(false);
  const preview = () => (isPreviewed.value = true);
  // A file that nobody named yet has its id for a name.
  const named = [local, offer, transfer].find((entry) => entry !== undefined && entry.name !== link.fileId);
  const fileName = named?.name ?? link.name ?? "A file without a name";
  const isFolder = fileKind(fileName) === "folder";
  const name = shownName(fileName);
  useEffect(() => {
    document.title = `${name} · Shoal`;
  }, [name]);
  const asked = app.asked.states.value.get(link.fileId);
  useEffect(() => {
    // Also where this screen was left meanwhile and is back.
    if (isFolder && (asked === "waiting" || asked === "asking")) isPreviewed.value = true;
  }, [asked, isFolder, isPreviewed]);
  const size = local?.size ?? offer?.size ?? transfer?.size ?? link.sizeBytes;
  useEffect(() => {
    // After a reload nobody who knows it may be there.
    if (link.sizeBytes === undefined && size !== undefined)
      app.router.note(fragmentOf({ ...link, sizeBytes: size }));
  }, [app, link, size]);

  return (
    <article class="get-screen">
      <Contours inner />
      <FileStamp name={fileName} />
      <LinkHeading name={name} />
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
          invitation={app.invitations.value.value?.findLast(({ file_id }) => file_id === link.fileId)}
          dial={dial.value}
        />
      )}
      <AboutLink link={link} name={name} holders={offer?.peers ?? []} />
      {isPreviewed.value && local && (
        <OpenedFile file={local} addresses={link.addresses} onClose={() => (isPreviewed.value = false)} />
      )}
    </article>
  );
}

/**
 * What brings the file, or failed to. That it is over may be heard before the file is known to be whole: until then it
 * is as it was, so that its buttons go when others take their place, and the focus with them.
 */
function useComing(fileId: string): Transfer | undefined {
  const seen = useRef<Transfer | undefined>(undefined);
  const latest = useApp().transfers.value.value?.find(
    (entry) => entry.file_id === fileId && entry.status !== "cancelled",
  );
  if (latest?.status !== "completed") seen.current = latest;
  else if (seen.current?.id !== latest.id) seen.current = undefined;
  return seen.current;
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
  const canPlay = isPlayed(kind) && isHeld && isRunning(transfer);
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
  const folder = isFolder ? app.listing.value?.folders.get(file.id) : undefined;
  const share = folder && folderShareOf(app, folder);
  const isWhole = !isFolder || (share !== undefined && share.here === share.of);
  const save = isFolder ? saveFolder : saveFile;
  return (
    <>
      <p class="get-screen-done">
        {isWhole
          ? "All of it is in this browser and checked. You share it on while this page is open."
          : folderText(share, app.asked.states.value.get(file.id) === "asking for all")}
        {share !== undefined && share.coming + share.failed > 0 && (
          <>
            {" "}
            <a href={hrefOf("transfers")}>See transfers</a>
          </>
        )}
      </p>
      <div class="get-screen-actions">
        {isShown(kind) && (
          <Button weight="main" icon={isPlayed(kind) ? "play" : "open"} onClick={onPreview}>
            {isPlayed(kind) ? "Play" : "Open"}
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
