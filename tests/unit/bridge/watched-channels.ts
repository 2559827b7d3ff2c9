/** The channels between tabs that a test's code opens, which keep its process going until they are closed. */
import { vi } from "vitest";

export type Channel = InstanceType<typeof BroadcastChannel>;

export class WatchedChannels {
  /** In the order in which they were opened. */
  readonly open: Channel[] = [];

  /** From now on every channel that is opened, in the test too. */
  watch(): void {
    const { open } = this;
    vi.stubGlobal(
      "BroadcastChannel",
      class extends BroadcastChannel {
        constructor(name: string) {
          super(name);
          open.push(this);
        }
      },
    );
  }

  closeAll(): void {
    for (const channel of this.open.splice(0)) channel.close();
  }
}
