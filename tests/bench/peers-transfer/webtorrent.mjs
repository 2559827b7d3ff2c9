// One side of WebTorrent transfers over loopback TCP, disk to disk, no trackers, no DHT.
//   seed FILE...            -> prints {torrents (base64), port}
//   get PORT DIR TORRENT... -> one after the other; prints [{seconds, bytes}]
import { execFileSync } from "node:child_process";
import WebTorrent from "webtorrent";

const [mode, ...args] = process.argv.slice(2);
const client = new WebTorrent({
  tracker: false,
  dht: false,
  lsd: false,
  natUpnp: false,
  natPmp: false,
  utp: false,
  utPex: false,
  webSeeds: false,
});
client.on("error", (error) => {
  console.error(error);
  process.exit(1);
});

if (mode === "seed") {
  const torrents = [];
  for (const file of args) torrents.push(await seed(file));
  console.log(JSON.stringify({ torrents, port: client.torrentPort }));
} else {
  const [port, directory, ...torrents] = args;
  const got = [];
  for (const torrent of torrents) {
    // None pays for what the one before left to the disk.
    execFileSync("sync");
    got.push(await get(torrent, port, directory));
  }
  console.log(JSON.stringify(got));
  process.exit(0);
}
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));

function seed(file) {
  return new Promise((resolve) => {
    client.seed(file, { announce: [] }, ({ torrentFile }) =>
      resolve(Buffer.from(torrentFile).toString("base64")),
    );
  });
}

function get(torrentFile, port, directory) {
  const start = performance.now();
  return new Promise((resolve) => {
    client.add(Buffer.from(torrentFile, "base64"), { path: directory, announce: [] }, (torrent) => {
      torrent.addPeer(`127.0.0.1:${port}`);
      torrent.on("done", () =>
        resolve({ seconds: (performance.now() - start) / 1000, bytes: torrent.downloaded }),
      );
    });
  });
}
