/**
 * What people read of plain files whose lines carry more than that: subtitles without times, Markdown without addresses. Called
 * by read-text. Every pattern is linear in the length of a line.
 */

/** Numbers, times, and what begins a part of a file; in brackets, sounds. */
const UNSAID = /^\s*([\d:.,]+\s*(?:-->|$)|WEBVTT|\[[^\]]*\]\s*$|Format:|Style:)/;

/** Blocks of WebVTT that nobody sees; what follows its sign in the first one, too. */
const UNSEEN_BLOCK = /^(?:WEBVTT|NOTE|STYLE|REGION)(?:\s|$)/;

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&nbsp;": " ",
  "&lrm;": "",
  "&rlm;": "",
};

/** SubRip, WebVTT, SubStation Alpha, lyrics and their kin: what is said or sung, without numbers, times, styles and positions. */
export function subtitleText(text: string): string {
  return saidLines(text)
    .map((line) => line.replace(/^\[(?:ti|ar|al):([^\]]*)\]/i, "$1"))
    .filter((line) => !UNSAID.test(line))
    .map((line) =>
      line
        .replace(/<[^<>]{0,200}>|\{[^{}]{0,200}\}|\[\d\d:[\d.:]{0,12}\]/g, "")
        .replaceAll("\\N", " ")
        .replace(/&(?:amp|lt|gt|nbsp|lrm|rlm);/g, (entity) => ENTITIES[entity] ?? entity),
    )
    .join("\n");
}

/** Lines that may be said. */
function saidLines(text: string): string[] {
  const lines = text.split(/\r?\n|\r/);
  if (/^\s*WEBVTT/.test(text))
    return lines
      .join("\n")
      .split(/\n{2,}/)
      .flatMap(saidInBlock);
  if (!lines.some((line) => /^\[Events\]/i.test(line))) return lines;
  // SubStation Alpha: what else it has is its title, styles, and comments that nobody sees.
  return lines.flatMap((line) => /^(?:Dialogue:(?:[^,]*,){9}|Title:)(.*)$/.exec(line)?.[1] ?? []);
}

/** Before its times a block may have a name. */
function saidInBlock(block: string): string[] {
  if (UNSEEN_BLOCK.test(block)) return [];
  const lines = block.split("\n");
  return lines.slice(lines.findIndex((line) => line.includes("-->")) + 1);
}

/** Elements of HTML that Markdown is written with; other words in angle brackets are code. */
const TAG =
  "a|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|img|ins|kbd|li|ol|p|picture|" +
  "pre|s|small|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|video";

/** Comments, tags, and where references lead. */
const MARKED = new RegExp(
  `<!--[\\s\\S]{0,2000}?-->|</?(?:${TAG})(?:[\\s/][^<>]{0,500})?>|^[ \\t]{0,3}\\[[^\\]\\n]{1,200}\\]:[ \\t]*\\S+.*$`,
  "gim",
);

export function markdownText(text: string): string {
  return text
    .replace(MARKED, " ")
    .replace(/\]\((?:[^()\s]|\([^()\s]{0,200}\)){0,2000}(?:[ \t]+"[^"\n]{0,500}")?[ \t]*\)/g, "] ")
    .replace(/^[ \t]{0,3}(?:#{1,6}|>|[-*+]|```\w{0,20}|~~~)[ \t]*/gm, "")
    .replace(/[*_`[\]|]/g, " ")
    .replace(/&nbsp;/g, " ");
}
