/**
 * The browser's offer to install the page, kept until the person asks for it. Made by main for the screens. Source:
 * the Web App Manifest incubations (beforeinstallprompt), which Chromium alone has.
 */
import { WatchedValue } from "./watched-value.ts";

interface InstallPromptEvent extends Event {
  prompt(): Promise<{ outcome: "accepted" | "dismissed" }>;
}

/** Undefined while the browser offers nothing: installed already, or not an engine that installs pages. */
export function watchInstallPrompt(): WatchedValue<(() => Promise<boolean>) | undefined> {
  const install = new WatchedValue<(() => Promise<boolean>) | undefined>(undefined);
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    install.set(async () => {
      // An offer can be taken up once.
      install.set(undefined);
      return (await (event as InstallPromptEvent).prompt()).outcome === "accepted";
    });
  });
  addEventListener("appinstalled", () => install.set(undefined));
  return install;
}
