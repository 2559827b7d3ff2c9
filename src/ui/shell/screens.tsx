/**
 * Which component draws which route, and how the navigation names it. All but that of the files are loaded when first
 * opened. Called by the shell.
 */
import type { ComponentType } from "preact";
import type { IconName } from "../elements/icon.tsx";
import { FilesScreen } from "../files/files-screen.tsx";
import type { ScreenName } from "../router.ts";
import { lazyScreen } from "./lazy-screen.tsx";

export interface Screen {
  name: ScreenName;
  title: string;
  icon: IconName;
  /** Stands in the bar of a phone; the others are behind More. */
  main: boolean;
  component: ComponentType;
}

export const SCREENS: readonly Screen[] = [
  { name: "files", title: "Files", icon: "files", main: true, component: FilesScreen },
  {
    name: "network",
    title: "Network",
    icon: "network",
    main: true,
    component: lazyScreen(() =>
      import("../network/network-screen.tsx").then((module) => module.NetworkScreen),
    ),
  },
  {
    name: "transfers",
    title: "Transfers",
    icon: "transfers",
    main: true,
    component: lazyScreen(() =>
      import("../transfers/transfers-screen.tsx").then((module) => module.TransfersScreen),
    ),
  },
  {
    name: "peers",
    title: "Peers",
    icon: "peers",
    main: true,
    component: lazyScreen(() => import("../peers/peers-screen.tsx").then((module) => module.PeersScreen)),
  },
  {
    name: "map",
    title: "Map",
    icon: "map",
    main: false,
    component: lazyScreen(() => import("../map/map-screen.tsx").then((module) => module.MapScreen)),
  },
  {
    name: "vectors",
    title: "Vectors",
    icon: "vectors",
    main: false,
    component: lazyScreen(() =>
      import("../vectors/vectors-screen.tsx").then((module) => module.VectorsScreen),
    ),
  },
  {
    name: "api",
    title: "API",
    icon: "api",
    main: false,
    component: lazyScreen(() => import("../api/api-screen.tsx").then((module) => module.ApiScreen)),
  },
  {
    name: "settings",
    title: "Settings",
    icon: "settings",
    main: false,
    component: lazyScreen(() =>
      import("../settings/settings-screen.tsx").then((module) => module.SettingsScreen),
    ),
  },
];

/** Drawn for a link to a file; no place of its own in the navigation. */
export const GetScreen = lazyScreen(() => import("../get/get-screen.tsx").then((module) => module.GetScreen));
