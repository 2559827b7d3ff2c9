/**
 * Takes files dropped or pasted anywhere on the page, whatever screen is shown, and opens Files; links, which it opens; and
 * texts, which it asks about. While something is dragged over the page, says where it would go. Called by the shell; calls
 * share-files.
 */
import { type Signal, signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon } from "../elements/icon.tsx";
import { GetManyDialog } from "../get/get-many-dialog.tsx";
import { type FileLink, fragmentOf, looksLikeLink, parseLinks } from "../links.ts";
import { type AppState, useApp } from "../state/app-state.ts";
import "./drop-anywhere.css";
import { droppedFiles, givenFiles } from "./dropped-files.ts";
import { HandedOver } from "./handed-over.tsx";
import { shareFiles } from "./share-files.ts";
import { ShareText } from "./share-text.tsx";

const CUT_LINK = "That is no whole link. Copy all of it, and paste it anywhere here.";

/** What is dragged over the page, of which browsers tell no more before it is dropped. */
type Dragged = "files" | "text";

const DROP_WORDS: Readonly<Record<Dragged, string>> = {
  files: "Drop to share",
  text: "Drop a text to share it, a link to open it",
};

export function DropAnywhere() {
  const app = useApp();
  const over = useSignal<Dragged | undefined>(undefined);
  const handed = useSignal<readonly File[]>([]);
  const linked = useSignal<readonly FileLink[]>([]);
  const written = useSignal<Signal<string> | undefined>(undefined);

  useEffect(() => {
    const stop = new AbortController();
    const on = <E extends keyof WindowEventMap>(name: E, listener: (event: WindowEventMap[E]) => void) =>
      window.addEventListener(name, listener, { signal: stop.signal });
    /** Something of this page is dragged, which is no wish to share it. */
    let isOwn = false;
    const draggedBy = ({ dataTransfer, target }: DragEvent): Dragged | undefined => {
      if (carried(dataTransfer) !== undefined) return "files";
      const isText = dataTransfer?.types.some((type) => TEXT_TYPES.includes(type)) ?? false;
      return isText && !isOwn && !isField(target) && !isDialogOpen() ? "text" : undefined;
    };
    const takeText = (text: string, links = parseLinks(text)) => {
      const [link] = links;
      if (links.length > 1) linked.value = links;
      else if (link !== undefined) app.router.open(fragmentOf(link));
      else if (looksLikeLink(text)) app.toasts.show({ text: CUT_LINK, tone: "bad" });
      else if (text.trim() !== "" && !isDialogOpen()) written.value = signal(text);
    };
    on("dragstart", ({ target }) => {
      isOwn = true;
      // Told to what was dragged alone where it has left the page meanwhile.
      target?.addEventListener("dragend", () => (isOwn = false), { once: true, signal: stop.signal });
    });
    on("dragover", (event) => {
      over.value = draggedBy(event);
      if (over.value !== undefined) event.preventDefault();
    });
    on("dragleave", (event) => {
      if (event.relatedTarget === null) over.value = undefined;
    });
    on("drop", (event) => {
      const dragged = draggedBy(event);
      over.value = undefined;
      const { dataTransfer } = event;
      if (dragged === undefined || dataTransfer === null) return;
      event.preventDefault();
      if (dragged === "files") take(app, dataTransfer);
      else takeText(textOf(dataTransfer));
    });
    on("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      const links = parseLinks(text);
      const pasted = carried(event.clipboardData);
      // A field would run several links into one line, and takes no file.
      const isFileAlone = pasted !== undefined && text === "";
      if (isField(event.target) && links.length < 2 && !isFileAlone) return;
      event.preventDefault();
      if (pasted !== undefined) take(app, pasted);
      else takeText(text, links);
    });
    const unsubscribe = app.host.onFilesHandedOver(
      (files) => {
        handed.value = [...handed.value, ...files];
      },
      (reason) => app.toasts.show({ text: reason, tone: "bad" }),
    );
    return () => {
      stop.abort();
      unsubscribe();
    };
  }, [app, over, handed, linked, written]);

  if (handed.value.length > 0) {
    const given = givenFiles(handed.value);
    const end = () => {
      handed.value = [];
    };
    return (
      <HandedOver
        given={given}
        onClose={end}
        onShare={() => {
          shareFiles(app, given);
          end();
        }}
      />
    );
  }
  if (linked.value.length > 0) {
    return <GetManyDialog files={linked.value} opensFolders onClose={() => (linked.value = [])} />;
  }
  if (written.value !== undefined) {
    return <ShareText text={written.value} onClose={() => (written.value = undefined)} />;
  }
  if (over.value === undefined) return null;
  return (
    <div class="drop-anywhere">
      <div>
        <Icon name="down" size={40} />
        <p>{DROP_WORDS[over.value]}</p>
      </div>
    </div>
  );
}

/** What a link is dragged as, and what words are. */
const TEXT_TYPES: readonly string[] = ["text/uri-list", "text/plain"];

function textOf(data: DataTransfer): string {
  return data.getData("text/plain") || data.getData("text/uri-list");
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

function isDialogOpen(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

function carried(data: DataTransfer | null): DataTransfer | undefined {
  return data?.types.includes("Files") ? data : undefined;
}

function take(app: AppState, data: DataTransfer): void {
  droppedFiles(data).then((given) => shareFiles(app, given), app.toasts.showError);
}
