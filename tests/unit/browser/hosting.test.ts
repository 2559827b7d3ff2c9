/** Where a tab believes the node to run, by what its own leadership and the other tabs say. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Asker } from "../../../src/bridge/asking.ts";
import { BridgeError } from "../../../src/bridge/bridge-error.ts";
import { watchHosting } from "../../../src/browser/hosting/hosting.ts";
import type { LeaderState } from "../../../src/browser/hosting/leader.ts";
import { WatchedValue } from "../../../src/browser/watched-value.ts";
import { eventually } from "../../eventually.ts";

const asker = { ended: new Promise(() => {}) } as Asker;
const noLeader = () => Promise.reject(new BridgeError("no_leader", "No tab hosts the node"));

/** A tab whose leadership and link the test moves. */
function openTab(state: LeaderState) {
  const leads: (() => void)[] = [];
  const page = Object.assign(new EventTarget(), { visibilityState: "hidden" });
  vi.stubGlobal("document", page);
  const tab = {
    look: () => {
      page.visibilityState = "visible";
      page.dispatchEvent(new Event("visibilitychange"));
    },
    state: new WatchedValue<LeaderState>(state),
    retry: () => {},
    reportSilence: vi.fn(),
    open: vi.fn<() => Promise<Asker>>(noLeader),
    anotherLeads: () => {
      for (const listener of leads) listener();
    },
  };
  const link = {
    open: () => tab.open(),
    onNewLeader: (listener: (leader: string) => void) => {
      leads.push(() => listener("another tab"));
      return () => {};
    },
  };
  const { hosting } = watchHosting(tab, link);
  return { tab, hosting };
}

describe("a tab that does not lead", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("finds the node in a tab that gets to lead after nobody did", async () => {
    const { tab, hosting } = openTab({ name: "waiting" });
    await eventually(() => expect(tab.open).toHaveBeenCalledTimes(1));
    expect(hosting.value.state).toBe("starting");
    tab.open.mockResolvedValue(asker);
    tab.anotherLeads();
    await eventually(() => expect(hosting.value).toEqual({ state: "running", inThisTab: false }));
  });

  it("uses another tab's node after its own did not start, as long as that is there", async () => {
    vi.stubGlobal("isSecureContext", true);
    const { tab, hosting } = openTab({ name: "failed", error: new Error("no room") });
    expect(hosting.value.state).toBe("failed");
    let close: (reason: BridgeError) => void = () => {};
    const ended = new Promise<BridgeError>((resolve) => {
      close = resolve;
    });
    tab.open.mockResolvedValue({ ended } as Asker);
    tab.anotherLeads();
    await eventually(() => expect(hosting.value).toEqual({ state: "running", inThisTab: false }));
    close(new BridgeError("closed", "The tab is gone"));
    await eventually(() => expect(hosting.value).toMatchObject({ state: "failed" }));
  });

  it.each<[what: string, error: Error, reason: string]>([
    ["room", new DOMException("", "QuotaExceededError"), "the browser gives this site no more room."],
    ["storage", new DOMException("", "UnknownError"), "UnknownError"],
    ["a part", new Error("no peer connection"), "no peer connection"],
  ])(
    "says why its node did not start where %s was missing, though the engine's error has no words",
    (_what, error, reason) => {
      vi.stubGlobal("isSecureContext", true);
      const { hosting } = openTab({ name: "failed", error });
      expect(hosting.value).toMatchObject({ reason: `The node did not start: ${reason}` });
    },
  );

  it("keeps what it came to be while it asked", async () => {
    const { tab, hosting } = openTab({ name: "waiting" });
    let find!: (asker: Asker) => void;
    const found = new Promise<Asker>((resolve) => {
      find = resolve;
    });
    tab.open.mockReturnValue(found);
    tab.anotherLeads();
    tab.state.set({ name: "leading" });
    find(asker);
    await found;
    expect(hosting.value).toEqual({ state: "running", inThisTab: true });
  });

  it("asks anew when it is looked at, as long as it has found no node", async () => {
    const { tab, hosting } = openTab({ name: "waiting" });
    tab.open.mockImplementation(() => Promise.reject(new BridgeError("silent", "No answer")));
    tab.look();
    await eventually(() => expect(tab.reportSilence).toHaveBeenCalledOnce());
    tab.open.mockResolvedValue(asker);
    tab.look();
    await eventually(() => expect(hosting.value.state).toBe("running"));
    tab.look();
    expect(tab.open).toHaveBeenCalledTimes(3);
  });

  it("asks nobody while it leads", async () => {
    const { tab } = openTab({ name: "leading" });
    tab.anotherLeads();
    expect(tab.open).not.toHaveBeenCalled();
  });

  it("says so when the tab that leads answers nothing", async () => {
    const { tab } = openTab({ name: "waiting" });
    tab.open.mockImplementation(() => Promise.reject(new BridgeError("silent", "No answer")));
    tab.anotherLeads();
    await eventually(() => expect(tab.reportSilence).toHaveBeenCalledOnce());
  });
});
