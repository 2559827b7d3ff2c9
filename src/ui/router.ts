/**
 * Which screen the address names: the fragment's path. Fragments of file links are routes too and stay as they are, so
 * that an opened link can be copied from the address bar. Called by the shell and the screens; calls links
 * and places.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { type FileLink, parseLink } from "./links.ts";
import { createPlaces, type Place } from "./places.ts";

export type ScreenName = "files" | "network" | "transfers" | "peers" | "map" | "vectors" | "api" | "settings";

export type Route = { screen: ScreenName } | { screen: "get"; link: FileLink } | { screen: "unknown" };

const SCREENS: readonly ScreenName[] = [
  "files",
  "network",
  "transfers",
  "peers",
  "map",
  "vectors",
  "api",
  "settings",
];

export interface Router {
  readonly route: ReadonlySignal<Route>;
  /** Where the route is in the browser's history. */
  place(): Place;
  go(screen: ScreenName): void;
  /** Opens the screen of a link. */
  open(fragment: string): void;
}

export function hrefOf(screen: ScreenName): string {
  return `#/${screen}`;
}

export function routeOf(fragment: string): Route {
  const path = fragment.replace(/^#/, "");
  if (path === "" || path === "/") return { screen: "files" };
  const screen = SCREENS.find((name) => path === `/${name}`);
  if (screen !== undefined) return { screen };
  const link = parseLink(handedLink(path) ?? fragment);
  return link === undefined ? { screen: "unknown" } : { screen: "get", link };
}

/** A link that the system hands over, for the manifest's `protocol_handlers`: `/open?link=web%2Bshoal%3A…`. */
function handedLink(path: string): string | undefined {
  const [place, query] = path.split("?", 2);
  return place === "/open" ? (new URLSearchParams(query).get("link") ?? undefined) : undefined;
}

/** Routes of one key are one screen, which stays drawn from one to the other. */
export function keyOf(route: Route): string {
  return route.screen === "get" ? `get ${route.link.fileId}` : route.screen;
}

/** `page` is the window, or what stands for it. */
export function createRouter(
  page: Pick<Window, "location" | "history" | "scrollY" | "addEventListener">,
): Router {
  const places = createPlaces(page);
  const fragment = signal(page.location.hash);
  const route = computed(() => routeOf(fragment.value));
  page.addEventListener("hashchange", () => {
    const { hash } = page.location;
    if (keyOf(routeOf(hash)) === keyOf(route.value)) places.stay();
    else places.move();
    fragment.value = hash;
  });
  const open = (next: string) => {
    page.location.hash = next;
  };
  return {
    route,
    place: places.here,
    go: (screen) => open(hrefOf(screen)),
    open,
  };
}
