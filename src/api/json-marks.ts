/** The characters that JSON is built of, as bytes of UTF-8. Used by json-scan, json-reader and number-reader. Source: RFC 8259. */
export const QUOTE = 0x22;
export const PLUS = 0x2b;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const DOT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
/** In lower case. */
export const E = 0x65;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
