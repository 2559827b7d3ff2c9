/** The events of a page's node, read inside the page. Used by open-page, the page's tests and the benchmark of browsers. */
import type { DrivenPage } from "./open-page.ts";

export interface NodeEvent {
  event: string;
  data: { file_id?: string; transfer_id?: string; peer_id?: string; progress?: number };
}

declare global {
  interface Window {
    /** Events since the one of that id, until the caller leaves or the node ends the stream. */
    nodeEvents(lastEventId?: string): AsyncGenerator<NodeEvent>;
  }
}

/** Defines `window.nodeEvents`, until the page is loaded again. */
export async function provideNodeEvents(page: Pick<DrivenPage, "evaluate">): Promise<void> {
  await page.evaluate(() => {
    window.nodeEvents = async function* (lastEventId) {
      const stop = new AbortController();
      const headers = new Headers({ Authorization: `Bearer ${await window.shoal.apiKey()}` });
      if (lastEventId !== undefined) headers.set("Last-Event-ID", lastEventId);
      const { body } = await fetch("/api/v1/events", { headers, signal: stop.signal });
      let text = "";
      try {
        for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
          text += piece;
          const blocks = text.split("\n\n");
          text = blocks.pop() ?? "";
          for (const block of blocks) {
            const event = /^event: ?(.*)$/m.exec(block)?.[1] ?? "";
            const told = JSON.parse(/^data: ?(.*)$/m.exec(block)?.[1] ?? "{}");
            yield { event, data: told.data ?? told };
          }
        }
      } finally {
        stop.abort();
      }
    };
  });
}
