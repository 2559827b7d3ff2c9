/**
 * The page's side of its service worker: registration, control after a hard reload, and what is known of a new version.
 * Used by main. Source: Service Workers, sections 3.2 and 3.4.
 */
import type { FilesKept, ToWorker } from "../bridge/tab-messages.ts";
import { KEEP_ANSWER_WITHIN_MS, UPDATE_CHECK_EVERY_MS } from "./limits.ts";
import { WatchedValue } from "./watched-value.ts";

export interface PageWorker {
  /** The active worker, whether or not it controls this page. */
  active(): ServiceWorker | undefined;
  /**
   * Settles once the worker controls this page. Rejects where there is none, an engine without or a failed install,
   * with words for a person; what failed is tried anew when it is asked for again.
   */
  controls(): Promise<void>;
  /**
   * Has the worker keep some more of the page's files for use without a network, once it controls this page; whether all
   * are kept then. Rejects without a worker, or where a file can't be had.
   */
  keepFiles(): Promise<boolean>;
  /** Set while a new version waits. Called, it takes over and this page reloads. */
  readonly update: Pick<WatchedValue<(() => void) | undefined>, "value" | "subscribe">;
  /** Settles once a worker of another version has taken over: this page is of a former one. */
  readonly replaced: Promise<void>;
}

export function registerServiceWorker(url: string): PageWorker {
  const update = new WatchedValue<(() => void) | undefined>(undefined);
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker;
  if (container === undefined) {
    const controls = () => Promise.reject(new Error("This browser has no service workers here"));
    return {
      active: () => undefined,
      controls,
      keepFiles: controls,
      update,
      replaced: new Promise(() => {}),
    };
  }
  let tellReplaced!: () => void;
  const replaced = new Promise<void>((resolve) => {
    tellReplaced = resolve;
  });
  let registration: ServiceWorkerRegistration | undefined;
  let controlled: Promise<void> | undefined;
  const register = async () => {
    registration = await container.register(url, { updateViaCache: "none" }).catch(throwInWords);
    watchUpdates(container, registration, { update, tellReplaced });
  };
  const begin = () => {
    const registering = register();
    const begun = control(container, registering);
    // Whoever waits for control is told; others go on without, or with the worker that is there.
    registering.catch(() => undefined);
    begun.catch(() => {
      controlled = undefined;
    });
    return begun;
  };
  const controls = () => {
    controlled ??= begin();
    return controlled;
  };
  container.addEventListener("controllerchange", () => {
    // The browser has cleared the site's data: another worker is had when it is asked for.
    if (container.controller === null) controlled = undefined;
  });
  void controls().catch(() => undefined);
  const active = () => container.controller ?? registration?.active ?? undefined;
  const keepFiles = async () => {
    await controls();
    const worker = active();
    return worker !== undefined && (await askToKeep(worker));
  };
  return { active, controls, keepFiles, update, replaced };
}

/** A TypeError is what engines throw where the script did not come, as on a line that was cut for a moment. */
function throwInWords(error: unknown): never {
  if (!(error instanceof TypeError)) throw error;
  const words = "The service worker, by which files are saved and shown, did not load. Try again";
  throw new Error(words, { cause: error });
}

/** Of a worker that ended meanwhile it is not known whether all are kept, so that it is asked again. */
function askToKeep(worker: ServiceWorker): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    const clock = setTimeout(() => {
      port1.close();
      resolve(false);
    }, KEEP_ANSWER_WITHIN_MS);
    port1.onmessage = ({ data }: MessageEvent<FilesKept>) => {
      clearTimeout(clock);
      port1.close();
      if ("error" in data) reject(new Error(data.error));
      else resolve(data.allKept);
    };
    worker.postMessage({ type: "keep-files" } satisfies ToWorker, [port2]);
  });
}

/** At once where a worker is there, since registering waits for a new version that is being installed. */
async function control(container: ServiceWorkerContainer, registering: Promise<void>): Promise<void> {
  if (container.controller !== null) return;
  const changed = new Promise((resolve) => {
    container.addEventListener("controllerchange", resolve, { once: true });
  });
  await registering;
  // A first install claims by itself; after a hard reload the active worker has to be asked.
  const { active } = await container.ready;
  active?.postMessage({ type: "claim" } satisfies ToWorker);
  if (container.controller === null) await changed;
}

function watchUpdates(
  container: ServiceWorkerContainer,
  registration: ServiceWorkerRegistration,
  { update, tellReplaced }: { update: WatchedValue<(() => void) | undefined>; tellReplaced: () => void },
): void {
  let controlled = container.controller;
  let reloads = false;
  container.addEventListener("controllerchange", () => {
    const former = controlled;
    controlled = container.controller;
    // With the site's data a version that waited is gone, too: the host has it.
    if (controlled === null && update.value !== undefined) update.set(() => location.reload());
    // Without a former one this is the first; without a present one the browser has cleared the site's data.
    if (former === null || controlled === null || former === controlled) return;
    // Another tab may have agreed to the new version, and a person may stay on the old: it is offered still.
    update.set(() => location.reload());
    tellReplaced();
    if (reloads) location.reload();
  });
  const offer = () => {
    const { waiting } = registration;
    if (waiting === null || registration.active === null) return;
    update.set(() => {
      reloads = true;
      waiting.postMessage({ type: "skip-waiting" } satisfies ToWorker);
    });
  };
  offer();
  registration.addEventListener("updatefound", () => {
    registration.installing?.addEventListener("statechange", offer);
  });
  checkWhenLookedAt(registration);
}

/** A page that stays open for days asks for a new version when somebody comes back to it. */
function checkWhenLookedAt(registration: ServiceWorkerRegistration): void {
  let checkedMs = performance.now();
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible") return;
    if (performance.now() - checkedMs < UPDATE_CHECK_EVERY_MS) return;
    checkedMs = performance.now();
    // Offline, there is nothing to be found and nothing to be said.
    registration.update().catch(() => undefined);
  });
}
