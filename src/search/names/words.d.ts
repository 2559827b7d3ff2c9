/** `Žluťoučký KŮŇ` and `zlutoucky kun` are the same. */
export declare function fold(text: string): string;
/** All words a name can be found by: `IMG_2024HolidayBeach` by img, 2024holidaybeach, 2024, holidaybeach, holiday, beach. */
export declare function nameWords(name: string): string[];
/** The words that a query asks for, each once. */
export declare function queryWords(query: string): string[];
/** The words that matter; all of them where none does. */
export declare function tellingWords(words: readonly string[]): readonly string[];
