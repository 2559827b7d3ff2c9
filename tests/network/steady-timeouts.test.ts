/** How long libp2p gives a peer to answer a ping, when the machine's clock is set anew meanwhile. */
import "../../src/headless/node20-shims.ts";
import type { AdaptiveTimeout } from "@libp2p/utils";
import { expect, it, onTestFinished, vi } from "vitest";
import { PING_PATIENCE_MS } from "../../src/network/limits.ts";
import { startBareNode } from "./bare-node.ts";

/** Parts of it that its types don't tell. */
interface Inside {
  components: { connectionMonitor: { timeout: AdaptiveTimeout } };
}

const DAY_MS = 24 * 60 * 60_000;

it.each([
  ["back", -DAY_MS],
  ["forward", DAY_MS],
])("a ping has its time after the clock was set %s by a day", async (_way, byMs) => {
  const node = (await startBareNode()) as unknown as Inside;
  const { timeout } = node.components.connectionMonitor;
  const ping = () => {
    const signal = timeout.getTimeoutSignal();
    timeout.cleanUp(signal);
    return signal.timeout;
  };
  onTestFinished(() => void vi.useRealTimers());
  ping();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + byMs });
  ping();
  expect(ping()).toBe(PING_PATIENCE_MS);
});
