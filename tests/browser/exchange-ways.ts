/**
 * By which ways a page in Chromium and its host trade bytes, as the browser's network reports them, so that they are told apart
 * under TLS too. Used by tests of what stands between the two.
 */
import type { CDPSession, Page } from "playwright";

export class ExchangeWays {
  /** Bytes of side streams. */
  sideBytes = 0;
  /** Posts that the host has taken, and those that were refused or lost. */
  takenPosts = 0;
  lostPosts = 0;
  /** Bytes of WebSockets, both ways. */
  socketBytes = 0;
  readonly #sides = new Set<string>();
  readonly #posts = new Set<string>();
  readonly #devTools: CDPSession;

  private constructor(devTools: CDPSession) {
    this.#devTools = devTools;
    this.#watch(devTools);
  }

  static async of(page: Page): Promise<ExchangeWays> {
    const devTools = await page.context().newCDPSession(page);
    const ways = new ExchangeWays(devTools);
    await devTools.send("Network.enable");
    return ways;
  }

  /** Settles once all is counted that was traded by now: an answer comes behind what was reported before it. */
  async counted(): Promise<void> {
    await this.#devTools.send("Runtime.evaluate", { expression: "0" });
  }

  #watch(devTools: CDPSession): void {
    devTools.on("Network.requestWillBeSent", ({ requestId, request: { url, method } }) => {
      if (!new URL(url).pathname.startsWith("/exchange/")) return;
      if (method === "POST") this.#posts.add(requestId);
      else this.#sides.add(requestId);
    });
    devTools.on("Network.responseReceived", ({ requestId, response }) => {
      if (!this.#posts.delete(requestId)) return;
      if (response.status === 204) this.takenPosts += 1;
      else this.lostPosts += 1;
    });
    devTools.on("Network.loadingFailed", ({ requestId }) => {
      if (this.#posts.delete(requestId)) this.lostPosts += 1;
    });
    devTools.on("Network.dataReceived", ({ requestId, dataLength }) => {
      if (this.#sides.has(requestId)) this.sideBytes += dataLength;
    });
    const onFrame = ({ response }: { response: { payloadData: string } }) => {
      // Binary messages come as base64.
      this.socketBytes += (response.payloadData.length / 4) * 3;
    };
    devTools.on("Network.webSocketFrameReceived", onFrame);
    devTools.on("Network.webSocketFrameSent", onFrame);
  }
}
