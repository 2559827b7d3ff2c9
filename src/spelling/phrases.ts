/** What stands in quotes is looked for as it stands there. Pure; called by search and by the screens. */
import { spoken } from "./fold.ts";
import { UNSPACED } from "./unspaced.ts";

/** What stands in quotes, as different languages write them. */
const QUOTED = /"([^"]+)"|[“„]([^“”]+)[“”]|«([^«»]+)»|[「『]([^「」『』]+)[」』]/gu;

/** Those of a phrase that is not typed to its end. */
const QUOTES = /["“”„«»「」『』]/gu;

const UNSPACED_PART = new RegExp(`[${UNSPACED}]`, "u");

/** What a query asks for word by word, as it is spoken. */
export function quotedPhrases(query: string): string[] {
  const phrases = Array.from(query.matchAll(QUOTED), ([, ...inner]) => spoken(inner.join("")));
  return phrases.filter((phrase) => phrase !== "");
}

/** The rest of the query. */
export function withoutPhrases(query: string): string {
  return query.replace(QUOTED, " ").replace(QUOTES, " ");
}

/** Whether a text has the phrase, and not within longer words of it, where words are told from each other. */
export function hasPhrase(text: string, phrase: string): boolean {
  const words = spoken(text);
  return ` ${words} `.includes(` ${phrase} `) || (UNSPACED_PART.test(phrase) && words.includes(phrase));
}
