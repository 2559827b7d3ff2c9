/** Codes of assembly/kernel.ts: apart from its exports, which come with the code of the kernel itself. */
export const FULL = -1;
export const INVALID_VECTOR = -2;
