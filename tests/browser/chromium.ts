/**
 * How tests start Chromium, in one place: Debian's, alone with loopback, and without renderers of its own windows. Used by
 * every test in a browser but Firefox's, and by benchmarks; calls playwright.
 */
import { type Browser, type BrowserType, chromium } from "playwright";

/** A name that resolves to this machine, for pages without a secure context. */
export const INSECURE_HOST = "shoal.test";

/** Chromium hears the last list alone, so this one is whole, and replaces playwright's. */
const DISABLED_FEATURES = [
  // Addresses as they are, in place of names that only mDNS resolves: tests ask nobody on the network.
  "WebRtcHideLocalIpsWithMdns",
  // These ask others: the network for screens to show films on, the makers for hints and for the time.
  ...["MediaRouter", "OptimizationHints", "NetworkTimeServiceQuerying", "PreconnectToSearch"],
  // Each window has two pages of its own for its address bar, at a third of what it costs to open one of ours.
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"],
];

export const CHROMIUM = {
  executablePath: "/usr/bin/chromium",
  args: [
    ...["--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update"],
    `--disable-features=${DISABLED_FEATURES.join()}`,
    `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`,
  ],
} satisfies Parameters<BrowserType["launch"]>[0];

export function launchChromium(...moreFlags: string[]): Promise<Browser> {
  return chromium.launch({ ...CHROMIUM, args: [...CHROMIUM.args, ...moreFlags] });
}
