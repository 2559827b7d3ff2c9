/**
 * What people read of plain files whose lines carry more than that: subtitles without times, Markdown without addresses. Called
 * by read-text. Every pattern is linear in the length of a line.
 */

/** Numbers, times, and what begins a file or a part of one; in brackets, sounds. */
const UNSAID = /^\s*([\d:.,]+\s*(?:-->|$)|WEBVTT|NOTE\b|STYLE\b|\[[^\]]*\]\s*$|Format:|Style:)/;

/** SubRip, WebVTT, SubStation Alpha, lyrics and their kin: what is said or sung, without numbers, times, styles and positions. */
export function subtitleText(text: string): string {
  return text
    .split(/\r?\n|\r/)
    .map((line) => line.replace(/^\[(?:ti|ar|al):([^\]]*)\]/i, "$1"))
    .filter((line) => !UNSAID.test(line))
    .map((line) => line.replace(/^(Dialogue|Comment):(?:[^,]*,){9}/, ""))
    .map((line) =>
      line.replace(/<[^<>]{0,200}>|\{[^{}]{0,200}\}|\[\d\d:[\d.:]{0,12}\]/g, "").replaceAll("\\N", " "),
    )
    .join("\n");
}

export function markdownText(text: string): string {
  return text
    .replace(/\]\([^()\s]{0,2000}\)/g, "] ")
    .replace(/^[ \t]{0,3}(?:#{1,6}|>|[-*+]|```\w{0,20}|~~~)[ \t]*/gm, "")
    .replace(/[*_`[\]|]/g, " ");
}
