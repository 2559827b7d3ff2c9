/** How a command that runs until it is told to stop takes the signal. */
import { beforeEach, describe, expect, it, type MockInstance, onTestFinished, vi } from "vitest";
import { type Service, serviceCommand } from "../../../src/headless/commands/service.ts";
import { STOP_MS } from "../../../src/headless/limits.ts";
import { untilTrue } from "../../eventually.ts";

describe("a service that is told to stop", () => {
  let exit: MockInstance<typeof process.exit>;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
    onTestFinished(() => {
      vi.useRealTimers();
      exit.mockRestore();
    });
  });

  it("while it starts, and does not, is ended in time", async () => {
    const { signal } = await run(new Promise(() => undefined));
    signal();
    await vi.advanceTimersByTimeAsync(STOP_MS - 1);
    expect(exit).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(exit).toHaveBeenCalledExactlyOnceWith(1);
  });

  it("while it starts, stops once it has started", async () => {
    const stop = vi.fn(async () => undefined);
    let started = (_service: Service) => {};
    const { ended, signal } = await run(
      new Promise((resolve) => {
        started = resolve;
      }),
    );
    signal();
    started({ lines: async () => [], ready: new Promise(() => undefined), stop });
    await ended;
    expect(stop).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(STOP_MS);
    expect(exit).not.toHaveBeenCalled();
  });
});

/** The command, once it waits for signals. */
async function run(starting: Promise<Service>): Promise<{ ended: Promise<unknown>; signal: () => void }> {
  const before = process.listeners("SIGTERM");
  const added = () => process.listeners("SIGTERM").filter((listener) => !before.includes(listener));
  onTestFinished(() => {
    for (const listener of added()) process.off("SIGTERM", listener).off("SIGINT", listener);
  });
  const command = serviceCommand("serve", "", { settingNames: ["log-level"], start: () => starting });
  const ended = command.parseAsync(["--log-level", "silent"], { from: "user" });
  await untilTrue(() => added().length > 0);
  return { ended, signal: () => added()[0]?.("SIGTERM") };
}
