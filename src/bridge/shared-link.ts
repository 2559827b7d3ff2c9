/** Finds links of ours in a text that another program handed over. Called by sw/handed-over; any site can send such a text. */
import { MAX_SHARED_LINKS } from "./limits.ts";

const IN_FRAGMENT = /#\/get\//i;
const BY_SCHEME = /(?:web\+shoal:|ipfs:\/\/).*/i;

/** In whatever words they stand; the page sees whether they are whole. Takes time as the text has length. */
export function linksIn(text: string): string[] {
  const links: string[] = [];
  for (const word of text.split(/\s+/)) {
    const link = IN_FRAGMENT.test(word) ? word : BY_SCHEME.exec(word)?.[0];
    if (link === undefined) continue;
    links.push(link);
    if (links.length === MAX_SHARED_LINKS) break;
  }
  return links;
}
