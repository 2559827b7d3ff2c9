/** How a command that runs until it is told to stop takes the signal. */
import { beforeEach, describe, expect, it, type MockInstance, onTestFinished, vi } from "vitest";
import { type Service, serviceCommand } from "../../../src/headless/commands/service.ts";
import { STOP_MS } from "../../../src/headless/limits.ts";
import { deferred } from "../../deferred.ts";
import { untilTrue } from "../../eventually.ts";

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

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

  it("while it starts, and does not, is ended in time, and says what that does not cost", async () => {
    const { signal } = await run(new Promise(() => undefined), "error");
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => said.mockRestore());
    signal();
    await vi.advanceTimersByTimeAsync(STOP_MS - 1);
    expect(exit).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(exit).toHaveBeenCalledExactlyOnceWith(1);
    expect(said).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("what was acknowledged is stored"));
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

describe("a service whose terminal is gone", () => {
  it("stops, and goes on with that when it is told so again", async () => {
    const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
    const kill = vi.spyOn(process, "kill").mockReturnValue(true);
    onTestFinished(() => {
      exit.mockRestore();
      kill.mockRestore();
    });
    const stopping = deferred<void>();
    const stop = vi.fn(() => stopping.promise);
    const { ended, signal } = await run(
      Promise.resolve({ lines: async () => [], ready: Promise.resolve(), stop }),
    );
    signal("SIGHUP");
    await untilTrue(() => stop.mock.calls.length > 0);
    signal("SIGHUP");
    expect(exit).not.toHaveBeenCalled();
    signal("SIGINT");
    expect(exit).toHaveBeenCalledExactlyOnceWith(1);
    expect(kill).not.toHaveBeenCalled();
    stopping.resolve();
    await ended;
    expect(stop).toHaveBeenCalledOnce();
    expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, "SIGHUP");
    expect(process.listenerCount("SIGHUP")).toBe(0);
  });
});

/** The command, once it waits for signals. */
async function run(starting: Promise<Service>, logLevel = "silent") {
  const before = SIGNALS.map((signal) => process.listeners(signal));
  const unheardBefore = process.listeners("unhandledRejection");
  const added = () =>
    SIGNALS.map((signal, at) => process.listeners(signal).find((one) => !before[at]?.includes(one)));
  onTestFinished(() => {
    for (const [at, listener] of added().entries()) {
      if (listener !== undefined) process.off(SIGNALS[at] as NodeJS.Signals, listener);
    }
    for (const listener of process.listeners("unhandledRejection")) {
      if (!unheardBefore.includes(listener)) process.off("unhandledRejection", listener);
    }
  });
  const command = serviceCommand("serve", "", { settingNames: ["log-level"], start: () => starting });
  const ended: Promise<unknown> = command.parseAsync(["--log-level", logLevel], { from: "user" });
  await untilTrue(() => added()[0] !== undefined);
  const signal = (name: (typeof SIGNALS)[number] = "SIGTERM") => added()[SIGNALS.indexOf(name)]?.(name);
  return { ended, signal };
}
