/** Limits of dimensionality reduction: unit, reason and source. */

const MIB = 1024 * 1024;

/** Vectors that t-SNE and UMAP lay out, the rest being placed among them: half a minute of one thread. */
export const MAX_FITTED = 20_000;

/** Bytes of vectors and places that their models keep: they are read at every opening and go into every backup. */
export const MAX_MODEL_BYTES = 64 * MIB;

/** Vectors that t-SNE lays out in more than three dimensions, where it measures every pair at every step (issue D). */
export const MAX_EXACT_FITTED = 5_000;

/** Pairs times dimensions that such a step may have, of which there are 750: two minutes of one thread. */
export const MAX_EXACT_PRODUCTS = 250_000_000;

/** Fewest vectors that anything can be fitted to: one has no variance. */
export const MIN_FITTED = 2;
