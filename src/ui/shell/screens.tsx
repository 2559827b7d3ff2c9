/**
 * Which component draws which route, and how the navigation names it. Screens beyond the first are loaded when first
 * opened. Called by the shell.
 */
import type { ComponentType } from "preact";
import type { IconName } from "../elements/icon.tsx";
import { FilesScreen } from "../files/files-screen.tsx";
import type { ScreenName } from "../router.ts";

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
];
