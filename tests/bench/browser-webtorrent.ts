/**
 * The same bytes by WebTorrent, in the same two pages: seeded from a Blob, stored by its own store for browsers, introduced
 * by a tracker of this process. Used by bench browser; loads webtorrent from peers-transfer.
 */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright";

const PEERS = join(import.meta.dirname, "peers-transfer/node_modules");

interface Tracker {
  http: { address(): AddressInfo };
  listen(port: number, host: string): void;
  once(event: "listening", heard: () => void): void;
  close(): void;
}

interface Torrent {
  magnetURI: string;
  once(event: "done" | "wire" | "error", heard: (error?: Error) => void): void;
}

interface WebTorrentClient {
  seed(input: File, options: object, ready: (torrent: Torrent) => void): void;
  add(magnet: string, options: object): Torrent;
  destroy(done: () => void): void;
}

declare global {
  interface Window {
    torrents: WebTorrentClient;
  }
}

export interface TorrentSite extends AsyncDisposable {
  scriptUrl: string;
  announce: string;
}

export async function openTorrentSite(): Promise<TorrentSite> {
  const script = await readFile(join(PEERS, "webtorrent/dist/webtorrent.min.js"));
  const server = createServer((_request, response) => {
    response.writeHead(200, {
      "content-type": "text/javascript",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
    });
    response.end(script);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { Server } = (await import(pathToFileURL(join(PEERS, "bittorrent-tracker/index.js")).href)) as {
    Server: new (options: object) => Tracker;
  };
  const tracker = new Server({ udp: false, http: true, ws: true, stats: false });
  const listening = new Promise<void>((resolve) => tracker.once("listening", resolve));
  tracker.listen(0, "127.0.0.1");
  await listening;
  return {
    scriptUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webtorrent.js`,
    announce: `ws://127.0.0.1:${tracker.http.address().port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      tracker.close();
    },
  };
}

/** What is timed begins with the first connection of the two, and ends with the last byte verified and stored. */
export async function webTorrentTransfer(
  site: TorrentSite,
  [from, to]: readonly [Page, Page],
  sizeBytes: number,
  timed: (run: () => Promise<number>) => Promise<void>,
): Promise<void> {
  const { scriptUrl, announce } = site;
  for (const page of [from, to]) await page.evaluate(startClient, { scriptUrl });
  const magnet = await from.evaluate(
    async ({ sizeBytes, announce }) => {
      const bytes = new Uint8Array(sizeBytes);
      for (let at = 0; at < sizeBytes; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
      const file = new File([bytes], "bench.bin");
      return new Promise<string>((resolve) => {
        window.torrents.seed(file, { announce: [announce] }, ({ magnetURI }) => resolve(magnetURI));
      });
    },
    { sizeBytes, announce },
  );
  const download = () =>
    to.evaluate(
      async ({ magnet, announce }) => {
        const torrent = window.torrents.add(magnet, { announce: [announce] });
        return new Promise<number>((resolve, reject) => {
          let startMs = 0;
          torrent.once("wire", () => {
            startMs = performance.now();
          });
          torrent.once("error", reject);
          torrent.once("done", () => resolve((performance.now() - startMs) / 1000));
        });
      },
      { magnet, announce },
    );
  await timed(download);
  for (const page of [from, to]) {
    await page.evaluate(() => new Promise<void>((resolve) => window.torrents.destroy(resolve)));
  }
}

/** Runs in the page. */
async function startClient({ scriptUrl }: { scriptUrl: string }): Promise<void> {
  const { default: WebTorrent } = await import(scriptUrl);
  window.torrents = new WebTorrent({
    dht: false,
    lsd: false,
    webSeeds: false,
    tracker: { rtcConfig: { iceServers: [] } },
  });
}
