/** The source of a module whose default export is read by the first 16 bits. */
export function dhtPrefixesModule(): string;
