/** Limits of dimensionality reduction: unit, reason and source. */

/** Vectors that a model of t-SNE or UMAP lays out itself, the rest being placed by them: half a minute of one thread. */
export const MAX_FITTED = 20_000;

/** Fewest vectors that anything can be fitted to: one has no variance. */
export const MIN_FITTED = 2;
