/** At most about MAX_TEXT_CHARS of text, not yet tidied. */
export declare function markupText(markup: string, language: "html" | "xml"): string;
