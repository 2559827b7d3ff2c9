/**
 * The place that is nearest to several, which weigh differently: their geometric median, by Weiszfeld's iteration (1937).
 * Called by the models of t-SNE and UMAP. A mean would lie between clusters, where nothing is; this lies in one of them.
 */

/** Each halves what is left to go, or nearly: a thousandth is less than points are apart. */
const STEPS = 10;

/** Nearer to a place than this part of how far they spread, it is that place. */
const NEAR = 1e-6;

/** `shares` add up to 1; those of 0 do not count. */
export function medianPlace(places: ArrayLike<number>[], shares: ArrayLike<number>): Float64Array {
  let middle = meanPlace(places, shares);
  const spread = Math.max(...places.map((place) => distanceOf(place, middle)));
  if (!(spread > 0)) return middle;
  for (let step = 0; step < STEPS; step++) {
    const pulls = Float64Array.from(places, (place, i) => {
      return (shares[i] as number) / Math.max(distanceOf(place, middle), spread * NEAR);
    });
    const sum = pulls.reduce((all, pull) => all + pull, 0);
    middle = meanPlace(
      places,
      pulls.map((pull) => pull / sum),
    );
  }
  return middle;
}

function meanPlace(places: ArrayLike<number>[], shares: ArrayLike<number>): Float64Array {
  const mean = new Float64Array(places[0]?.length ?? 0);
  for (const [i, place] of places.entries()) {
    const share = shares[i] as number;
    for (let d = 0; d < mean.length; d++) mean[d] = (mean[d] as number) + share * (place[d] as number);
  }
  return mean;
}

function distanceOf(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let d = 0; d < b.length; d++) sum += ((a[d] as number) - (b[d] as number)) ** 2;
  return Math.sqrt(sum);
}
