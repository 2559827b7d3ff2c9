/**
 * Takes files dropped or pasted anywhere on the page, whatever screen is shown, and opens Files; and links pasted, which it
 * opens. While something is dragged over the page, says where it would go. Called by the shell; calls state/imports.
 */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon } from "../elements/icon.tsx";
import { GetManyDialog } from "../get/get-many-dialog.tsx";
import { MAX_FILES_A_DROP } from "../limits.ts";
import { type FileLink, fragmentOf, parseLinks } from "../links.ts";
import { type AppState, useApp } from "../state/app-state.ts";
import "./drop-anywhere.css";
import { droppedFiles, type Given, givenFiles } from "./dropped-files.ts";
import { HandedOver } from "./handed-over.tsx";

const NO_LINK =
  "What was pasted is neither a file nor a whole link. Copy one of them, and paste it anywhere here.";

export function DropAnywhere() {
  const app = useApp();
  const isOver = useSignal(false);
  const handed = useSignal<readonly File[]>([]);
  const linked = useSignal<readonly FileLink[]>([]);

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
      const isTyped = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      // A field would run several links into one line.
      if (isTyped && links.length < 2) return;
      event.preventDefault();
      const pasted = carried(event.clipboardData);
      const [link] = links;
      if (pasted !== undefined) take(app, pasted);
      else if (links.length > 1) linked.value = links;
      else if (link !== undefined) app.router.open(fragmentOf(link));
      else if (text.trim() !== "") app.toasts.show({ text: NO_LINK, tone: "bad" });
    });
    const unsubscribe = app.host.onFilesHandedOver(
      (files) => {
        handed.value = [...handed.value, ...files].slice(0, MAX_FILES_A_DROP);
      },
      (reason) => app.toasts.show({ text: reason, tone: "bad" }),
    );
    return () => {
      stop.abort();
      unsubscribe();
    };
  }, [app, isOver, handed, linked]);

  if (handed.value.length > 0) {
    const end = () => {
      handed.value = [];
    };
    return (
      <HandedOver
        files={handed.value}
        onClose={end}
        onShare={() => {
          shareFiles(app, givenFiles(handed.value));
          end();
        }}
      />
    );
  }
  if (linked.value.length > 0) {
    return <GetManyDialog files={linked.value} onClose={() => (linked.value = [])} />;
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

/** Puts files into the queue and shows it. */
export function shareFiles(app: AppState, { files, isCut }: Given): void {
  if (isCut) app.toasts.show({ text: `Only the first ${MAX_FILES_A_DROP} files are taken at once.` });
  if (files.length === 0) {
    app.toasts.show({ text: "There was no file in that.", tone: "bad" });
    return;
  }
  app.imports.add(files);
  app.router.go("files");
}
