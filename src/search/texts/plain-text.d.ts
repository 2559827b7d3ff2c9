/**
 * What people read of plain files whose lines carry more than that: subtitles without times, Markdown without addresses, RTF
 * without its control words. Called by read-text. Every pattern is linear in the length of a line.
 */
/** SubRip, WebVTT, SubStation Alpha and their kin: what is said, without numbers, times, styles and positions. */
export declare function subtitleText(text: string): string;
export declare function markdownText(text: string): string;
/** RTF 1.9.1, as far as words go: groups with data are left out, escapes read, all else of the markup dropped. */
export declare function rtfText(source: string): string;
