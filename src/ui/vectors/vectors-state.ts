/**
 * What the parts of the screen of vectors share: the index's figures, its picture, the last search, the picked vector.
 * Made by vectors-screen for as long as it is drawn; calls the client.
 */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Client } from "../../client/vx-client.ts";
import { createLive, type Live } from "../state/live.ts";
import { messageOf } from "../state/toasts.ts";
import { FETCHES_AT_ONCE } from "./limits.ts";
import { drawPicture, type Picture, withVectors } from "./picture.ts";

export type Metrics = Awaited<ReturnType<Client["metrics"]>>;
export type VectorRecord = NonNullable<Awaited<ReturnType<Client["get"]>>>;
export type Hit = Awaited<ReturnType<Client["search"]>>[number];

export interface Search {
  hits: readonly Hit[];
  /** As measured here: the request there and back. */
  tookMs: number;
  /** What was asked, in words. */
  asked: string;
}

export type PictureState =
  | { state: "drawing" }
  | { state: "drawn"; picture: Picture | undefined }
  | { state: "failed"; message: string };

export interface VectorsState {
  readonly vx: Client;
  readonly metrics: Live<Metrics>;
  /** Undefined while the index is empty: the first vector decides. */
  readonly dimension: ReadonlySignal<number | undefined>;
  readonly picture: ReadonlySignal<PictureState>;
  readonly search: ReadonlySignal<Search | undefined>;
  readonly picked: Signal<number | undefined>;
  /** Keys of the metadata, as the first record in the picture has them. */
  readonly keys: ReadonlySignal<readonly string[]>;
  /** Draws the picture anew, and asks for the figures. */
  redraw(): Promise<void>;
  /** Runs a search and shows its hits. @throws VxError */
  find(asked: string, ask: () => Promise<Hit[]>): Promise<void>;
  clearSearch(): void;
}

/** Lives until `stop` aborts. */
export function createVectorsState(vx: Client, stop: AbortSignal): VectorsState {
  const metrics = createLive(() => vx.metrics());
  const picture = signal<PictureState>({ state: "drawing" });
  const search = signal<Search | undefined>(undefined);
  const picked = signal<number | undefined>(undefined);
  const keys = computed(() => keysOf(picture.value));

  async function redraw(): Promise<void> {
    try {
      const [drawn] = await Promise.all([drawPicture(vx, stop), metrics.refresh()]);
      if (stop.aborted) return;
      picture.value = { state: "drawn", picture: drawn };
      await addToPicture(search.value?.hits ?? []);
    } catch (error) {
      if (!stop.aborted) picture.value = { state: "failed", message: messageOf(error) };
    }
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
    dimension: computed(() => metrics.value.value?.dimension || undefined),
    picture,
    search,
    picked,
    keys,
    redraw,
    async find(asked, ask) {
      const start = performance.now();
      const hits = await ask();
      search.value = { hits, asked, tookMs: performance.now() - start };
      await addToPicture(hits);
    },
    clearSearch() {
      search.value = undefined;
    },
  };
}

function keysOf(drawn: PictureState): string[] {
  if (drawn.state !== "drawn") return [];
  const keys = new Set<string>();
  for (const { metadata } of drawn.picture?.entries.slice(0, 100) ?? []) {
    for (const key of Object.keys(metadata)) keys.add(key);
  }
  return [...keys];
}
