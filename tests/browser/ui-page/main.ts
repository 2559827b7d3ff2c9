/**
 * The screens alone, on a node that is reached over HTTP: their tests need no node in the page. The key stands in the
 * address, since this page is served to its own test only. Called by ui-page/index.html; calls ui/app.
 */
import { mountApp } from "../../../src/ui/app.tsx";
import type { Hosting, UiHost, Watched } from "../../../src/ui/ports.ts";

const apiKey = new URLSearchParams(location.search).get("key") ?? "";

function fixed<T>(value: T): Watched<T> {
  return {
    value,
    subscribe(listener) {
      listener(value);
      return () => {};
    },
  };
}

const host: UiHost = {
  apiOrigin: location.origin,
  fetch: (request) => fetch(request),
  apiKey: async () => apiKey,
  replaceApiKey: async () => apiKey,
  takesStreams: false,
  hosting: fixed<Hosting>({ state: "running", inThisTab: false }),
  update: fixed(undefined),
  install: fixed(undefined),
  onFilesHandedOver: () => () => {},
};

mountApp(document.querySelector("#app") as HTMLElement, host);
