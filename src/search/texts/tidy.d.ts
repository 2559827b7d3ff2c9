/** `text` has at most a few hundred thousand characters, and all of this is linear in it. */
export declare function tidy(text: string, maxChars: number): string;
