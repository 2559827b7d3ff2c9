/** What a notification says of what a peer sends. */
import { expect, test, vi } from "vitest";
import type { ShoalEvent } from "../../../src/client/events.ts";
import { tellOfInvitations } from "../../../src/ui/shell/tell-of-invitations.ts";

/** Title and words of the notification while nobody looks. */
async function notified(name: string): Promise<string[]> {
  const shown = new Promise<string[]>((resolve) => {
    class Notification {
      static permission = "granted";

      constructor(title: string, { body }: { body: string }) {
        resolve([title, body]);
      }
    }
    vi.stubGlobal("Notification", Notification);
    vi.stubGlobal("window", { Notification });
  });
  vi.stubGlobal("navigator", {});
  vi.stubGlobal("document", { visibilityState: "hidden" });
  tellOfInvitations({
    onEvent(listener) {
      const data = { peer_id: "12D3", peer_name: "Ada", name };
      listener({ id: "1", event: "invitation_received", data } as unknown as ShoalEvent);
      return () => {};
    },
  });
  return await shown;
}

test.each([
  ["a file", "tides.txt", ["Ada sends you a file", "tides.txt"]],
  ["a folder, by its own name", "trip.folder.json", ["Ada sends you a folder", "trip"]],
])("that it is %s", async (_, name, words) => {
  expect(await notified(name)).toEqual(words);
});
