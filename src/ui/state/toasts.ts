/** Short messages that come and go, with at most one thing to do about each. Called by the screens; drawn by elements/toasts. */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { shownName } from "../../spelling/folder-name.ts";
import { MAX_TOASTS, TOAST_LIFETIME_MS } from "../limits.ts";
import type { Router, ScreenName } from "../router.ts";
import { sentence } from "./sentence.ts";

export interface ToastAction {
  label: string;
  run: () => void;
  /** It takes back what the toast tells, which a key does as well. */
  undoes?: boolean;
  /** The screen that it opens, which tells the same. */
  opens?: ScreenName;
}

/** Words in which a file's name, which may be long, stands apart. */
export interface AboutFile {
  before?: string;
  file: string;
  after?: string;
}

export interface Toast {
  readonly id: number;
  readonly text: string | AboutFile;
  readonly tone: "plain" | "bad";
  readonly action?: ToastAction;
  /** How several are told as one, which takes the place of those that have the same words for it. */
  readonly together?: (count: number) => string;
  /** How many it tells of. */
  readonly count: number;
  /** What is under way that it tells of. */
  readonly about: readonly string[];
  /** Called once when the toast goes without its action having been run. */
  readonly onGone?: () => void;
}

type Showing = Omit<Toast, "id" | "tone" | "count" | "about"> & { tone?: Toast["tone"]; about?: string };

/** `id` tells it from the same words before. */
export type Said = Pick<Toast, "id" | "tone"> & { readonly text: string };

export interface Toasts {
  readonly shown: ReadonlySignal<readonly Toast[]>;
  /** Where they are drawn: the last place that was taken, for a modal dialog puts all others out of reach. */
  readonly place: ReadonlySignal<object | undefined>;
  /** Gives what leaves the place again. */
  takePlace(place: object): () => void;
  show(toast: Showing): void;
  /** What can be seen where it stands, and is read aloud alone. */
  readonly said: ReadonlySignal<Said | undefined>;
  say(said: Omit<Said, "id">): void;
  /** Shows what was thrown, in its own words. */
  showError(error: unknown): void;
  dismiss(id: number): void;
  /** It is no longer under way: what tells of it goes, once nothing else that it tells of is. */
  over(about: string): void;
  /** Somebody came to a screen: what leads there goes, and covers nothing of it. */
  arrived(screen: ScreenName): void;
  act(id: number): void;
  /** Stops the clocks while the pointer or the focus is on a toast. */
  hold(held: boolean): void;
}

export function createToasts(): Toasts {
  const shown = signal<readonly Toast[]>([]);
  const places = signal<readonly object[]>([]);
  const said = signal<Said | undefined>(undefined);
  const clocks = new Map<number, ReturnType<typeof setTimeout>>();
  let lastId = 0;
  let isHeld = false;

  function take(id: number): Toast | undefined {
    const toast = shown.value.find((entry) => entry.id === id);
    shown.value = shown.value.filter((entry) => entry.id !== id);
    clearTimeout(clocks.get(id));
    clocks.delete(id);
    return toast;
  }

  function dismiss(id: number): void {
    take(id)?.onGone?.();
  }

  function startClock(id: number): void {
    clearTimeout(clocks.get(id));
    if (!isHeld) clocks.set(id, setTimeout(dismiss, TOAST_LIFETIME_MS, id));
  }

  /** What can still be undone is done when it goes, for which only another wish of the person's is a reason. */
  function makeRoom({ action }: Pick<Toast, "action">): void {
    while (shown.value.length >= MAX_TOASTS) {
      const news = shown.value.find((entry) => !entry.action?.undoes);
      const giving = news ?? (action?.undoes ? shown.value[0] : undefined);
      if (giving === undefined) return;
      dismiss(giving.id);
    }
  }

  function show({ about, ...toast }: Showing): void {
    const alike = shown.value.find(({ together }) => together !== undefined && together === toast.together);
    const count = (alike?.count ?? 0) + 1;
    const text = count > 1 && toast.together ? toast.together(count) : toast.text;
    const abouts = [...(alike?.about ?? []), ...(about === undefined ? [] : [about])];
    const told = { tone: "plain" as const, ...toast, text, count, about: abouts };
    if (alike !== undefined) {
      // It stays where it stands, and the keys on its buttons.
      shown.value = shown.value.map((other) => (other === alike ? { ...told, id: alike.id } : other));
      startClock(alike.id);
      return;
    }
    lastId += 1;
    for (const other of shown.value) if (saysTheSame(other, toast)) dismiss(other.id);
    makeRoom(toast);
    shown.value = [...shown.value, { ...told, id: lastId }];
    startClock(lastId);
  }

  return {
    shown,
    place: computed(() => places.value.at(-1)),
    takePlace(place) {
      // Drawn at another place it would be read once more, however old it is.
      const move = (next: readonly object[]) => {
        said.value = undefined;
        places.value = next;
      };
      move([...places.value, place]);
      return () => move(places.value.filter((other) => other !== place));
    },
    show,
    said,
    say(words) {
      lastId += 1;
      said.value = { ...words, id: lastId };
    },
    showError: (error) => show({ text: messageOf(error), tone: "bad" }),
    dismiss,
    over(about) {
      for (const toast of shown.value) {
        if (!toast.about.includes(about)) continue;
        const others = toast.about.filter((other) => other !== about);
        if (others.length === 0) dismiss(toast.id);
        else
          shown.value = shown.value.map((other) => (other === toast ? { ...toast, about: others } : other));
      }
    },
    arrived(screen) {
      for (const toast of shown.value) if (toast.action?.opens === screen) dismiss(toast.id);
    },
    act: (id) => take(id)?.action?.run(),
    hold(held) {
      if (held === isHeld) return;
      isHeld = held;
      for (const { id } of shown.value) startClock(id);
    },
  };
}

/** Two that are alike are one that is said again, unless there is something to do about each. */
function saysTheSame(a: Pick<Toast, "text" | "action">, b: Pick<Toast, "text" | "action">): boolean {
  return wordsOf(a.text) === wordsOf(b.text) && a.action === undefined && b.action === undefined;
}

function wordsOf(text: Toast["text"]): string {
  return typeof text === "string" ? text : plainText(text);
}

export function opening(router: Pick<Router, "go">, opens: ScreenName, label = "Show"): ToastAction {
  return { label, opens, run: () => router.go(opens) };
}

/** The same words where nothing is cut. */
export function plainText({ before = "", file, after = "" }: AboutFile): string {
  return `${before}${shownName(file)}${after}`;
}

/** Words for what was thrown: the node's own, or what a person can do where no answer came. */
export function messageOf(error: unknown): string {
  if (error instanceof TypeError) return "The node can't be reached just now. It is tried again by itself.";
  const words = (error instanceof Error ? error.message : String(error)).trim();
  return words === ""
    ? "It failed without a reason. Try again, and reload the page if it fails again."
    : sentence(words);
}
