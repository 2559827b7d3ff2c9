/** A text that somebody wrote or pasted, as a file that is named after its first words. Called by share-text. */
import { MAX_TEXT_NAME_CHARS } from "../limits.ts";

export function textFile(text: string): File {
  return new File([text], `${firstWords(text)}.txt`, { type: "text/plain" });
}

/** Of the first line that has any, without what some file system refuses. */
function firstWords(text: string): string {
  const line = /\S.*/.exec(text)?.[0] ?? "";
  const words = line.replace(/[^\p{L}\p{M}\p{N} _.,'()&+@-]+/gu, " ").split(/\s+/);
  let name = "";
  for (const word of words) {
    const longer = name === "" ? word : `${name} ${word}`;
    if ([...longer].length > MAX_TEXT_NAME_CHARS) break;
    name = longer;
  }
  name ||= [...(words[0] ?? "")].slice(0, MAX_TEXT_NAME_CHARS).join("");
  return name.replace(/^[\s.]+|[\s.,]+$/g, "") || "Text";
}
