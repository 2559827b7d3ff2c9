/**
 * Small things that the screens remember in this browser: the theme, what was asked already. Called by screens; calls
 * localStorage. Where the browser keeps no data of this site, they last as long as the page, which has worse to tell then.
 */
const forThisPage = new Map<string, string>();

/** Undefined for what was never remembered. */
export function remembered(key: string): string | undefined {
  return storage()?.getItem(key) ?? forThisPage.get(key);
}

/** `undefined` forgets it. */
export function remember(key: string, text: string | undefined): void {
  if (text === undefined) {
    forThisPage.delete(key);
    storage()?.removeItem(key);
    return;
  }
  forThisPage.set(key, text);
  try {
    storage()?.setItem(key, text);
  } catch (error) {
    // No room, or a private window: nothing here is worth a word about it. What was remembered before is not so any more.
    if (!(error instanceof DOMException)) throw error;
    storage()?.removeItem(key);
  }
}

/** The property itself throws where a person has blocked the site's data. */
function storage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}
