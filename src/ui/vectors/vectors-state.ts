/**
 * What the parts of the screen of vectors share: the index's figures, its picture, the last search, the picked vector.
 * Made by vectors-screen for as long as it is drawn; calls the client.
 */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Client } from "../../client/vx-client.ts";
import { VxError } from "../../client/vx-error.ts";
import { createLive, type Live } from "../state/live.ts";
import { messageOf } from "../state/toasts.ts";
import { exampleFilter } from "./example-filter.ts";
import { FETCHES_AT_ONCE, MAX_KEPT_SEARCHES, MAX_KEY_RECORDS } from "./limits.ts";
import { drawPicture, type Picture, withVectors } from "./picture.ts";
import { hueKeys } from "./point-hues.ts";

export type Metrics = Awaited<ReturnType<Client["metrics"]>>;
export type VectorRecord = NonNullable<Awaited<ReturnType<Client["get"]>>>;
export type Hit = Awaited<ReturnType<Client["search"]>>[number];

export interface Search {
  hits: readonly Hit[];
  /** As measured here: the request there and back. */
  tookMs: number;
  /** What was asked, in words. */
  asked: string;
  ask(): Promise<readonly Hit[]>;
}

export type PictureState =
  | { state: "drawing" }
  | { state: "drawn"; picture: Picture | undefined }
  | { state: "failed"; message: string };

export interface VectorsState {
  readonly vx: Client;
  readonly metrics: Live<Metrics>;
  /** Why the index answers nothing just now; undefined while it does. */
  readonly away: ReadonlySignal<string | undefined>;
  /** Undefined until the index has told it. */
  readonly dimension: ReadonlySignal<number | undefined>;
  readonly picture: ReadonlySignal<PictureState>;
  readonly search: ReadonlySignal<Search | undefined>;
  /** How long the searches from here took, there and back, oldest first. */
  readonly tookMs: ReadonlySignal<readonly number[]>;
  readonly picked: Signal<number | undefined>;
  /** Keys of the metadata, as the first records in the picture have them. */
  readonly keys: ReadonlySignal<readonly string[]>;
  /** A condition that some of them suggest. */
  readonly exampleFilter: ReadonlySignal<string>;
  /** A key with few values, to group by; undefined where there is none. */
  readonly groupingKey: ReadonlySignal<string | undefined>;
  /** Asks for the figures. Of an index that is back from where it was away the picture is drawn anew. */
  look(): Promise<void>;
  /** Draws the picture anew, asks for the figures, and again for the hits that are shown. */
  redraw(): Promise<void>;
  /** Runs a search and shows its hits. @throws VxError */
  find(asked: string, ask: Search["ask"]): Promise<void>;
  clearSearch(): void;
}

/** What an index of an earlier version does not tell, as that of a tab that was open before an update. */
const UNTOLD: Pick<Metrics, "failures"> = { failures: [] };

/** Lives until `stop` aborts. */
export function createVectorsState(vx: Client, stop: AbortSignal): VectorsState {
  const metrics = createLive(async () => ({ ...UNTOLD, ...(await vx.metrics()) }));
  const away = signal<string | undefined>(undefined);
  const picture = signal<PictureState>({ state: "drawing" });
  const search = signal<Search | undefined>(undefined);
  const tookMs = signal<readonly number[]>([]);
  const picked = signal<number | undefined>(undefined);
  const entries = computed(() =>
    picture.value.state === "drawn" ? (picture.value.picture?.entries ?? []) : [],
  );

  const told = computed(() => entries.value.slice(0, MAX_KEY_RECORDS).map(({ metadata }) => metadata));

  let drawing = new AbortController();
  let searches = 0;

  async function look(): Promise<void> {
    try {
      await metrics.refresh();
    } catch (error) {
      if (error instanceof VxError && error.code === "unavailable") away.value = messageOf(error);
      throw error;
    }
    if (away.value === undefined) return;
    away.value = undefined;
    await redraw();
  }

  async function redraw(): Promise<void> {
    // One that began before may be of what is no longer there.
    drawing.abort();
    drawing = new AbortController();
    const signal = AbortSignal.any([stop, drawing.signal]);
    try {
      const [drawn] = await Promise.all([drawPicture(vx, signal), metrics.refresh()]);
      if (signal.aborted) return;
      picture.value = { state: "drawn", picture: drawn };
      await findAgain();
    } catch (error) {
      if (!signal.aborted) picture.value = { state: "failed", message: messageOf(error) };
    }
  }

  async function findAgain(): Promise<void> {
    const shown = search.value;
    if (shown === undefined) return;
    const hits = await shown.ask();
    if (search.value !== shown) return;
    search.value = { ...shown, hits };
    await addToPicture(hits);
  }

  /** Hits outside of the sample are fetched, so that each is seen. */
  async function addToPicture(hits: readonly Hit[]): Promise<void> {
    const before = picture.value;
    if (before.state !== "drawn" || before.picture === undefined) return;
    const { indexOf } = before.picture;
    const missing = hits.map(({ id }) => id).filter((id) => !indexOf.has(id));
    const records: VectorRecord[] = [];
    for (let at = 0; at < missing.length; at += FETCHES_AT_ONCE) {
      const some = await Promise.all(missing.slice(at, at + FETCHES_AT_ONCE).map((id) => vx.get(id)));
      records.push(...some.filter((record) => record !== undefined));
    }
    const after = await withVectors(before.picture, records);
    if (picture.value === before) picture.value = { state: "drawn", picture: after };
  }

  return {
    vx,
    metrics,
    away,
    dimension: computed(() => metrics.value.value?.dimension || undefined),
    picture,
    search,
    tookMs,
    picked,
    keys: computed(() => [...new Set(told.value.flatMap((metadata) => Object.keys(metadata)))]),
    exampleFilter: computed(() => exampleFilter(told.value)),
    groupingKey: computed(() => hueKeys(entries.value)[0]),
    look,
    redraw,
    async find(asked, ask) {
      const turn = ++searches;
      const start = performance.now();
      const hits = await ask();
      const ms = performance.now() - start;
      // Another was asked for meanwhile, or none is wanted any more.
      if (turn !== searches) return;
      search.value = { hits, asked, ask, tookMs: ms };
      tookMs.value = [...tookMs.value, ms].slice(-MAX_KEPT_SEARCHES);
      await addToPicture(hits);
    },
    clearSearch() {
      searches += 1;
      search.value = undefined;
    },
  };
}
