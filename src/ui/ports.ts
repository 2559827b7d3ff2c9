/**
 * All that the screens ask of the page that hosts them. Joined by browser/main; the tests join one over HTTP.
 * Everything about files, transfers, peers and vectors goes through src/client instead.
 */

/** A value that changes. A listener is called at once with the present one, then at each change. */
export interface Watched<T> {
  readonly value: T;
  subscribe(listener: (value: T) => void): () => void;
}

/** Where the node runs, as this tab sees it. */
export type Hosting =
  /** `step` is shown: "Opening the store". */
  | { state: "starting"; step: string }
  /** `inThisTab`: closing it stops the node, unless another tab takes over. */
  | { state: "running"; inThisTab: boolean }
  /** `reason` and `advice` are shown; `retry` is there where another try may help. */
  | { state: "failed"; reason: string; advice: string; retry?: () => void };

/** `guessed`: the encoding, where nothing in the bytes says which it is. */
export interface DecodedText {
  readonly text: string;
  readonly guessed: string | undefined;
}

export interface UiHost {
  /** Origin that API paths stand under. */
  readonly apiOrigin: string;
  /**
   * Settles once what the page shows or saves by such a path is answered, too. Rejects where it is not, though it may
   * be later.
   */
  served(): Promise<void>;
  /** Carries API requests to the node, wherever it runs. `init`: as the client's option of that name says. */
  readonly fetch: (request: Request, init?: Pick<RequestInit, "body" | "signal">) => Promise<Response>;
  /** The origin's API key. */
  apiKey(): Promise<string>;
  /** Makes a new key and revokes the old one. */
  replaceApiKey(): Promise<string>;
  /** Whether `fetch` takes a body that is a stream; HTTP/1 does not. */
  readonly takesStreams: boolean;
  /** The text that bytes are, in whatever encoding, and cut off within a character or not; undefined where they are none. */
  decodeText(bytes: Uint8Array): Promise<DecodedText | undefined>;
  /**
   * Asks the browser to keep what is stored; gives whether it will. Some ask the person, in the tab that asks them, and the
   * one that runs the node may not be looked at.
   */
  askForPersistence(): Promise<boolean>;
  /** Of the node that serves the page, by which pages are introduced to each other; undefined where nobody says. */
  nodeId(): Promise<string | undefined>;
  readonly hosting: Watched<Hosting>;
  /** A new version waits; called, it takes over and the page reloads. */
  readonly update: Watched<(() => void) | undefined>;
  /** The browser would install the page; called, it asks. True if installed. */
  readonly install: Watched<(() => Promise<boolean>) | undefined>;
  /** Files handed over by the system (share target, file handlers), each list once; what is said of those lost is shown. */
  onFilesHandedOver(listener: (files: readonly File[]) => void, onLost: (reason: string) => void): () => void;
}
