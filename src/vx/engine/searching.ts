/**
 * Searches over the records, past a batch that is being applied. Called by Records.
 *
 *   narrow    a filter or facets become the set of slots that may be found, in turns where that takes long
 *   walk      the graph gives the nearest of them, less what the batch brings; before a model is fitted all are measured
 *   join      with what the batch replaces, which is measured beside the graph
 *   page      the part of the ranking that is asked for, with each result's metadata
 */
import type { Neighbours, ScoredNeighbours } from "../hnsw/graph.ts";
import { MAX_EF } from "../hnsw/limits.ts";
import type { SlotSet } from "../hnsw/slot-set.ts";
import type { MetadataIndex, Narrowing } from "../metadata/metadata-index.ts";
import { TurnClock } from "../turn-clock.ts";
import type { Change } from "./change.ts";
import type { Ranking, ResultRange } from "./engine.ts";
import type { HeldRecords } from "./held-records.ts";
import { best, pageOf } from "./ranking.ts";

/** @throws VxError `invalid_vector`, `invalid_query`, `invalid_request` */
export async function search(
  held: HeldRecords,
  query: Float32Array,
  range: ResultRange,
  narrowing: Narrowing | undefined,
): Promise<Ranking> {
  if (narrowing !== undefined) await held.metadata.prepare(narrowing, new TurnClock());
  // From here on in one turn: a change would make other slots of the set.
  const allow = narrowing && allowed(held.metadata, narrowing);
  const found = nearest(held, query, range.k, allow);
  return pageOf(found, range, (i) => held.textOf(found.ids[i] as bigint));
}

/** @throws VxError `invalid_vector`, `invalid_request` */
export function searchNegatives(
  held: HeldRecords,
  positive: Float32Array,
  negatives: Float32Array[],
  range: ResultRange,
): Ranking {
  const { change } = held;
  const found =
    change === undefined
      ? highest(held, positive, negatives, range.k)
      : highestPast(change, held, positive, negatives, range.k);
  return pageOf(found, range, (i) => held.textOf(found.ids[i] as bigint));
}

function allowed(metadata: MetadataIndex, narrowing: Narrowing): SlotSet {
  return "filter" in narrowing ? metadata.filter(narrowing.filter) : metadata.facets(narrowing.facets);
}

function nearest(held: HeldRecords, query: Float32Array, k: number, allow: SlotSet | undefined): Neighbours {
  const { graph, change } = held;
  const visible = change === undefined ? allow : change.visible(allow);
  const found = isWaiting(held)
    ? graph.searchAmong(query, k, visible === undefined ? graph.liveSlots() : graph.liveSlots().and(visible))
    : graph.search(query, k, visible && { allow: visible });
  if (change === undefined || change.former.size === 0) return found;
  const former = graph.searchAmong(query, k, change.former.slots(allow));
  return best(k, [found, former], (ranking, i) => -(ranking.distances[i] as number));
}

function highest(
  held: HeldRecords,
  positive: Float32Array,
  negatives: Float32Array[],
  k: number,
): ScoredNeighbours {
  const { graph } = held;
  return isWaiting(held)
    ? graph.searchNegativesAmong(positive, negatives, k, graph.liveSlots())
    : graph.searchNegatives(positive, negatives, k);
}

/** The graph takes no set for these: as many are asked for as leave k without those that the batch brings. */
function highestPast(
  change: Change,
  held: HeldRecords,
  positive: Float32Array,
  negatives: Float32Array[],
  k: number,
): ScoredNeighbours {
  const { graph } = held;
  for (let wanted = Math.min(k, MAX_EF); ; wanted = Math.min(wanted * 2, MAX_EF)) {
    const found = highest(held, positive, negatives, wanted);
    const visible = found.ids.reduce((count, id) => count + (change.hides(id) ? 0 : 1), 0);
    if (visible < k && found.ids.length === wanted && wanted < MAX_EF) continue;
    const former = graph.searchNegativesAmong(positive, negatives, k, change.former.slots(undefined));
    const score = (ranking: ScoredNeighbours, i: number) => ranking.scores[i] as number;
    return best(k, [found, former], score, (ranking, i) => {
      return ranking === found && change.hides(found.ids[i] as bigint);
    });
  }
}

/** Before a model is fitted searches are exact: nobody has linked the graph for walks. */
function isWaiting({ facts, reduced }: HeldRecords): boolean {
  return facts.reduction !== undefined && reduced === undefined;
}
