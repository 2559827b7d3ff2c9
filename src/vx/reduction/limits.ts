/** Limits of dimensionality reduction: unit, reason and source. */

const MIB = 1024 * 1024;

/**
 * Numbers in a vector that is to be reduced: more than embedding models give. The covariance of all pairs and its
 * eigenvectors take 16 bytes a pair, and time by the cube: minutes here, a minute at 2048, a third of a second at 384.
 */
export const MAX_REDUCED_DIMENSION = 4096;

/** Vectors that t-SNE and UMAP lay out, the rest being placed among them: half a minute of one thread. */
export const MAX_FITTED = 20_000;

/** Bytes of vectors and places that their models keep: they are read at every opening and go into every backup. */
export const MAX_MODEL_BYTES = 64 * MIB;

/** Vectors that t-SNE lays out in more than three dimensions, where it measures every pair at every step. */
export const MAX_EXACT_FITTED = 5_000;

/** Pairs times dimensions that such a step may have, of which there are 750: two minutes of one thread. */
export const MAX_EXACT_PRODUCTS = 250_000_000;

/** Fewest vectors that anything can be fitted to: one has no variance. */
export const MIN_FITTED = 2;

/** Numbers checked, and products made, between two looks at the clock: a millisecond or a few. */
export const CHECKED_NUMBERS = 1_000_000;
export const PRODUCTS_A_LOOK = 4_000_000;

/** Rows whose memberships are told between two looks at the clock: some 10 microseconds each. */
export const ROWS_A_LOOK = 32;
