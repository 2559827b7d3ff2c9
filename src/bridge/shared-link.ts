/** Finds a link of ours in a text that another program handed over. Called by sw/handed-over; any site can send such a text. */

const IN_FRAGMENT = /#\/get\//i;
const BY_SCHEME = /(?:web\+shoal:|ipfs:\/\/).*/i;

/** The first, in whatever words it stands; the page sees whether it is whole. Takes time as the text has length. */
export function linkIn(text: string): string | undefined {
  for (const word of text.split(/\s+/)) {
    const link = IN_FRAGMENT.test(word) ? word : BY_SCHEME.exec(word)?.[0];
    if (link !== undefined) return link;
  }
  return undefined;
}
