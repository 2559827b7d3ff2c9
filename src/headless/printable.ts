/** Hostile text as it may reach a terminal. Called by the log and by all that prints. */

/** DEL and C1 controls, zero-width and bidirectional marks, line separators. */
const ACTED_ON = /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Text that can be printed to a terminal: with every character escaped that it would act on. */
export function printable(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
  return escapeActedOn(value.replace(/[\0-\x1f]/g, escapeCharacter));
}

/** What JSON leaves as it is. */
export function escapeActedOn(line: string): string {
  return line.replace(ACTED_ON, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
