/**
 * Takes files dropped or pasted anywhere on the page, whatever screen is shown, and opens Files; links pasted, which it
 * opens; and texts pasted, which it asks about. While something is dragged over the page, says where it would go. Called by
 * the shell; calls share-files.
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

const CUT_LINK = "What was pasted is no whole link. Copy all of it, and paste it anywhere here.";

export function DropAnywhere() {
  const app = useApp();
  const isOver = useSignal(false);
  const handed = useSignal<readonly File[]>([]);
  const linked = useSignal<readonly FileLink[]>([]);
  const written = useSignal<Signal<string> | undefined>(undefined);

  useEffect(() => {
    const stop = new AbortController();
    const on = <E extends keyof WindowEventMap>(name: E, listener: (event: WindowEventMap[E]) => void) =>
      window.addEventListener(name, listener, { signal: stop.signal });
    on("dragover", (event) => {
      if (carried(event.dataTransfer) === undefined) return;
      event.preventDefault();
      isOver.value = true;
    });
    on("dragleave", (event) => {
      if (event.relatedTarget === null) isOver.value = false;
    });
    on("drop", (event) => {
      isOver.value = false;
      const dropped = carried(event.dataTransfer);
      if (dropped === undefined) return;
      event.preventDefault();
      take(app, dropped);
    });
    on("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      const links = parseLinks(text);
      const pasted = carried(event.clipboardData);
      const isTyped = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      // A field would run several links into one line, and takes no file.
      const isFileAlone = pasted !== undefined && text === "";
      if (isTyped && links.length < 2 && !isFileAlone) return;
      event.preventDefault();
      const [link] = links;
      if (pasted !== undefined) take(app, pasted);
      else if (links.length > 1) linked.value = links;
      else if (link !== undefined) app.router.open(fragmentOf(link));
      else if (looksLikeLink(text)) app.toasts.show({ text: CUT_LINK, tone: "bad" });
      else if (text.trim() !== "" && !document.querySelector("dialog[open]")) written.value = signal(text);
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
  }, [app, isOver, handed, linked, written]);

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
  if (!isOver.value) return null;
  return (
    <div class="drop-anywhere">
      <div>
        <Icon name="down" size={40} />
        <p>Drop to share</p>
      </div>
    </div>
  );
}

function carried(data: DataTransfer | null): DataTransfer | undefined {
  return data?.types.includes("Files") ? data : undefined;
}

function take(app: AppState, data: DataTransfer): void {
  droppedFiles(data).then((given) => shareFiles(app, given), app.toasts.showError);
}
