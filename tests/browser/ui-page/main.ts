/**
 * The screens alone, on a node that is reached over HTTP: their tests need no node in the page. The key stands in the
 * address, since this page is served to its own test only. A test changes what the host says by `window.uiHost`.
 * Called by ui-page/index.html; calls ui/app.
 */
import { mountApp } from "../../../src/ui/app.tsx";
import type { Hosting, UiHost, Watched } from "../../../src/ui/ports.ts";

declare global {
  interface Window {
    uiHost: {
      setHosting(hosting: Hosting): void;
      setUpdate(apply: () => void): void;
      handOver(files: readonly File[]): void;
      /** Of the node that would have served the page. */
      nodeId?: string;
    };
  }
}

const apiKey = new URLSearchParams(location.search).get("key") ?? "";

class Settable<T> implements Watched<T> {
  value: T;
  readonly #listeners = new Set<(value: T) => void>();

  constructor(value: T) {
    this.value = value;
  }

  set(value: T): void {
    this.value = value;
    for (const listener of this.#listeners) listener(value);
  }

  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    listener(this.value);
    return () => this.#listeners.delete(listener);
  }
}

const hosting = new Settable<Hosting>({ state: "running", inThisTab: true });
const update = new Settable<(() => void) | undefined>(undefined);
const takers = new Set<(files: readonly File[]) => void>();

const host: UiHost = {
  apiOrigin: location.origin,
  served: async () => {},
  fetch: (request) => fetch(request),
  apiKey: async () => apiKey,
  replaceApiKey: async () => apiKey,
  takesStreams: false,
  decodeText: async (bytes) => (await import("../../../src/search/texts/decoding.ts")).decodeText(bytes),
  askForPersistence: () => navigator.storage.persist(),
  nodeId: async () => window.uiHost.nodeId,
  hosting,
  update,
  install: new Settable(undefined),
  onFilesHandedOver(listener) {
    takers.add(listener);
    return () => takers.delete(listener);
  },
};

window.uiHost = {
  setHosting: (now) => hosting.set(now),
  setUpdate: (apply) => update.set(apply),
  handOver(files) {
    for (const take of takers) take(files);
  },
};

mountApp(document.querySelector("#app") as HTMLElement, host);
