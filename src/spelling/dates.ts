/** Dates however their parts are joined. Pure; called by search and by the screens. */

/** As cameras and programs write a day: `20240801`, `2024.08.01`; a number that is longer is none. */
const DAY = /(?<!\p{N})((?:19|20)\d\d)[-._]?(0[1-9]|1[0-2])[-._]?(0[1-9]|[12]\d|3[01])(?!\p{N})/gu;

/** Year, month and day of each day in a text with a hyphen between them. */
export function datesApart(text: string): string {
  return text.replace(DAY, "$1-$2-$3");
}
