/**
 * Whether no other page can come to this node: it has no address that others can dial, and the host of its page, to which it
 * is connected, introduces nobody to it, nor does another relay. Headless nodes it dials itself, so those have its files. Told
 * once it has lasted, since relays are known some moments after they are met. Called by app-state.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { INTRODUCED_AFTER_MS } from "../limits.ts";
import { addressesForLink } from "../link-addresses.ts";
import type { UiHost } from "../ports.ts";
import type { NodeInfo, Peer } from "./entries.ts";
import type { Lists } from "./lists.ts";
import type { NodePhase } from "./node-phase.ts";

interface WatchedParts {
  readonly host: Pick<UiHost, "nodeId">;
  readonly phase: ReadonlySignal<NodePhase>;
  readonly info: Pick<Lists["info"], "value">;
  readonly peers: Pick<Lists["peers"], "value">;
}

/** Lives until `stop` aborts. */
export function watchIntroductions(
  { host, phase, info, peers }: WatchedParts,
  stop: AbortSignal,
): ReadonlySignal<boolean> {
  const hostId = signal<string | undefined>(undefined);
  const lasts = signal(false);
  const isApart = computed(
    () => phase.value.phase === "running" && canNotBeReached(info.value.value, peers.value.value),
  );
  const isLeftApart = computed(
    () => isApart.value && peers.value.value?.some(({ id }) => id === hostId.value),
  );
  const asking = isApart.subscribe(async (now) => {
    if (now) hostId.value = await host.nodeId();
  });
  let timer: ReturnType<typeof setTimeout>;
  const waiting = isLeftApart.subscribe((now) => {
    clearTimeout(timer);
    lasts.value = false;
    if (now) timer = setTimeout(() => (lasts.value = true), INTRODUCED_AFTER_MS);
  });
  stop.addEventListener("abort", () => {
    clearTimeout(timer);
    asking();
    waiting();
  });
  return lasts;
}

function canNotBeReached(info: NodeInfo | undefined, peers: readonly Peer[] | undefined): boolean {
  if (info === undefined || peers === undefined || peers.length === 0) return false;
  return addressesForLink(info.addresses).length === 0 && !peers.some(({ relay }) => relay);
}
