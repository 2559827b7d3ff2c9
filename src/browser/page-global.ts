/** `window.shoal`: what the page gives to code of its origin beside the REST API. Set by main. */
export interface PageGlobal {
  /** This origin's API key, for code of the same origin and the console. */
  apiKey(): Promise<string>;
  /** Settles when the service worker controls this page and the node runs, here or in another tab. */
  readonly ready: Promise<void>;
}

declare global {
  interface Window {
    shoal: PageGlobal;
  }
}
