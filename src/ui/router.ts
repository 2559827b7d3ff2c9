/**
 * Which screen the address names: the fragment's path. Fragments of file links are routes too and stay as they are, so
 * that an opened link can be copied from the address bar. Called by the shell and the screens; calls links
 * and places.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { type FileLink, parseLink, parseLinks } from "./links.ts";
import { createPlaces, type Place } from "./places.ts";

export type ScreenName = (typeof SCREENS)[number];

export type SettingsSection = (typeof SETTINGS_SECTIONS)[number];

export type Route =
  | { screen: ScreenName; section?: SettingsSection }
  /** Several that the system handed over at once: got where links are opened by hand. */
  | { screen: "network"; links: readonly FileLink[] }
  | { screen: "get"; link: FileLink }
  | { screen: "unknown" };

const SCREENS = ["files", "network", "transfers", "peers", "map", "vectors", "api", "settings"] as const;

/** The parts of the settings that have an address of their own: `#/settings/storage`. */
const SETTINGS_SECTIONS = [
  "appearance",
  "notifications",
  "node",
  "connections",
  "speed",
  "search",
  "storage",
  "webhooks",
  "identity",
  "app",
] as const;

export interface Router {
  readonly route: ReadonlySignal<Route>;
  /** Where the route is in the browser's history. */
  place(): Place;
  go(screen: ScreenName): void;
  /** The same without a step: nobody comes back to the route that is left. */
  goInstead(screen: ScreenName): void;
  /** Opens the screen of a link. */
  open(fragment: string): void;
  /** The address says more of the route, for when the page is loaded again; what is drawn stays. */
  note(fragment: string): void;
}

export function hrefOf(screen: ScreenName): string {
  return `#/${screen}`;
}

export function hrefOfSetting(section: SettingsSection): string {
  return `${hrefOf("settings")}/${section}`;
}

export function routeOf(fragment: string): Route {
  const path = fragment.replace(/^#/, "");
  if (path === "" || path === "/") return { screen: "files" };
  const screen = SCREENS.find((name) => path === `/${name}`);
  if (screen !== undefined) return { screen };
  const section = SETTINGS_SECTIONS.find((name) => path === `/settings/${name}`);
  if (section !== undefined) return { screen: "settings", section };
  const handed = handedLinks(path);
  // Out of a text that another program shared they have what the text's words put around them.
  const links = handed === undefined ? [] : parseLinks(handed);
  if (links.length > 1) return { screen: "network", links };
  const link = handed === undefined ? parseLink(fragment) : links[0];
  return link === undefined ? { screen: "unknown" } : { screen: "get", link };
}

/** What the system hands over, for the manifest's `protocol_handlers`: `/open?link=web%2Bshoal%3A…`; of a text, its links. */
function handedLinks(path: string): string | undefined {
  const [place, query] = path.split("?", 2);
  return place === "/open" ? (new URLSearchParams(query).get("link") ?? undefined) : undefined;
}

/** Routes of one key are one screen, which stays drawn from one to the other. */
export function keyOf(route: Route): string {
  return route.screen === "get" ? `get ${route.link.fileId}` : route.screen;
}

export function sectionOf(route: Route): SettingsSection | undefined {
  return route.screen === "settings" ? route.section : undefined;
}

export function linksOf(route: Route): readonly FileLink[] | undefined {
  return "links" in route ? route.links : undefined;
}

/** `page` is the window, or what stands for it. Follows its address until `stop` aborts. */
export function createRouter(
  page: Pick<Window, "location" | "history" | "scrollY" | "addEventListener">,
  stop: AbortSignal,
): Router {
  const places = createPlaces(page, stop);
  const fragment = signal(page.location.hash);
  const route = computed(() => routeOf(fragment.value));
  const follow = () => {
    const { hash } = page.location;
    const [from, to] = [route.value, routeOf(hash)];
    if (keyOf(to) !== keyOf(from)) places.move();
    else if (sectionOf(to) !== sectionOf(from)) places.moveWithin();
    else places.stay();
    fragment.value = hash;
  };
  page.addEventListener("hashchange", follow, { signal: stop });
  const open = (next: string) => {
    page.location.hash = next;
  };
  return {
    route,
    place: places.here,
    go: (screen) => open(hrefOf(screen)),
    goInstead: (screen) => page.location.replace(hrefOf(screen)),
    open,
    note(more) {
      // The address is another at once, and that is told a moment later.
      if (keyOf(routeOf(page.location.hash)) !== keyOf(route.value)) return;
      page.history.replaceState(page.history.state, "", more);
    },
  };
}
