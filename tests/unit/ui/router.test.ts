/** Which entries of the browser's history are one place, and what their addresses say: src/ui/router and src/ui/places. */
import { describe, expect, it } from "vitest";
import { createRouter, routeOf } from "../../../src/ui/router.ts";

/** A window's history, of entries with an address and a state each, and how far it is scrolled. */
function openPage(hash: string) {
  const entries: { hash: string; state: unknown }[] = [{ hash, state: null }];
  let at = 0;
  const events = new EventTarget();
  const stop = new AbortController();
  const entry = () => entries[at] as { hash: string; state: unknown };
  const goTo = (index: number) => {
    at = index;
    events.dispatchEvent(new Event("hashchange"));
  };
  const page = {
    scrollY: 0,
    location: {
      get hash() {
        return entry().hash;
      },
      set hash(next: string) {
        entries.splice(at + 1, Number.POSITIVE_INFINITY, { hash: next, state: null });
        goTo(at + 1);
      },
    },
    history: {
      scrollRestoration: "auto",
      get state() {
        return entry().state;
      },
      replaceState(state: unknown, _title: string, hash = entry().hash) {
        Object.assign(entry(), { hash, state });
      },
    },
    addEventListener: events.addEventListener.bind(events),
  };
  return { page, events, stop, back: () => goTo(at - 1), router: createRouter(page as never, stop.signal) };
}

describe("a screen's place", () => {
  it("is found again by who goes back, as it was left, and is a new one for who comes anew", () => {
    const { page, back, router } = openPage("#/network");
    router.place().kept("words", "").value = "sea";
    page.scrollY = 700;
    router.go("peers");
    expect([router.place().scrollY, router.place().kept("words", "").value]).toEqual([0, ""]);
    back();
    expect([router.place().scrollY, router.place().kept("words", "").value]).toEqual([700, "sea"]);
    router.go("peers");
    router.go("network");
    expect(router.place().kept("words", "").value).toBe("");
  });

  it("stays the same where the address changes and the screen does not, as from none to that of the files", () => {
    const { back, router } = openPage("");
    const words = router.place().kept("words", "");
    router.go("files");
    words.value = "sea";
    router.go("peers");
    back();
    expect(router.place().kept("words", "").value).toBe("sea");
    back();
    expect(router.place().kept("words", "").value).toBe("sea");
  });

  it("is another for each part of the settings, with what was typed in all of them", () => {
    const { page, back, router } = openPage("#/settings");
    const typed = router.place().kept("typed", "");
    page.scrollY = 900;
    router.open("#/settings/storage");
    expect(router.route.value).toEqual({ screen: "settings", section: "storage" });
    expect(router.place().scrollY).toBe(0);
    router.place().kept("typed", "").value = "7";
    page.scrollY = 1400;
    router.go("peers");
    expect(router.place().kept("typed", "").value).toBe("");
    back();
    expect([router.place().scrollY, router.place().kept("typed", "").value]).toEqual([1400, "7"]);
    back();
    expect([router.place().scrollY, typed.value]).toEqual([900, "7"]);
    router.open("#/settings/nothing");
    expect(router.route.value).toEqual({ screen: "unknown" });
  });
});

it("a page that is over follows its address no more, and marks no entry", () => {
  const { page, events, stop, router } = openPage("#/files");
  stop.abort();
  router.go("peers");
  events.dispatchEvent(new Event("click"));
  expect([router.route.value, page.history.state]).toEqual([{ screen: "files" }, null]);
});

describe("what the address is to say more", () => {
  const link = `#/get/bafkrei${"a".repeat(52)}`;
  const more = `${link}?size=5`;

  it("is said where one is, in the place that it is", () => {
    const { page, router } = openPage(link);
    const { state } = page.history;
    router.note(more);
    expect([page.location.hash, page.history.state]).toEqual([more, state]);
  });

  it("does not take back a step to another screen of which nobody was told yet", () => {
    const { page, stop, router } = openPage(link);
    // The event comes later than the step.
    stop.abort();
    router.go("files");
    router.note(more);
    expect(page.location.hash).toBe("#/files");
  });
});

describe("routes", () => {
  it("a link is a screen of its own, and what is neither is said to be unknown", () => {
    expect(routeOf("")).toEqual({ screen: "files" });
    expect(routeOf("#/peers")).toEqual({ screen: "peers" });
    expect(routeOf(`#/get/b${"a".repeat(58)}`)).toEqual({
      screen: "get",
      link: { fileId: `b${"a".repeat(58)}`, addresses: [] },
    });
    expect(routeOf("#/get/x").screen).toBe("unknown");
  });

  it("a link that the system hands over opens its file, and several open together", () => {
    const handed = encodeURIComponent(`web+shoal:get/b${"a".repeat(58)}?name=a%20b.txt`);
    expect(routeOf(`#/open?link=${handed}`)).toEqual({
      screen: "get",
      link: { fileId: `b${"a".repeat(58)}`, name: "a b.txt", addresses: [] },
    });
    const inWords = `(https://share.example/#/get/b${"a".repeat(58)}).`;
    expect(routeOf(`#/open?link=${encodeURIComponent(inWords)}`).screen).toBe("get");
    const two = `${inWords} ipfs://b${"c".repeat(58)}`;
    const { screen, ...opened } = routeOf(`#/open?link=${encodeURIComponent(two)}`);
    expect(screen).toBe("network");
    expect(opened).toMatchObject({
      links: [{ fileId: `b${"a".repeat(58)}` }, { fileId: `b${"c".repeat(58)}` }],
    });
    expect(routeOf("#/open?link=%E0%A4%A").screen).toBe("unknown");
    expect(routeOf("#/open").screen).toBe("unknown");
  });
});
