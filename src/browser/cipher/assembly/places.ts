/**
 * Where things lie in the kernel's memory, byte offsets; the host (../noise-cipher.ts) has the same numbers. The text is
 * worked on where it lies, in whole strides, so behind it there must be room for one.
 */

export const KEY: usize = 1024;
/** 32 bytes of key are followed by 12 of nonce. */
export const NONCE: usize = KEY + 32;
/** At most 64 bytes that are authenticated and not encrypted, and zeroes up to the next 16. */
export const ASSOCIATED: usize = 1088;
/** The 16 bytes that authenticate, as computed. */
export const TAG: usize = 1168;
/** 32 bytes of one-time key for Poly1305. */
export const ONE_TIME_KEY: usize = 1184;
/** Keystream of four blocks, 256 bytes. */
export const STREAM: usize = 1280;
export const TEXT: usize = 2048;
