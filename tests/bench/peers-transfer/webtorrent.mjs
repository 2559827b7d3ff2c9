// One side of a WebTorrent transfer over loopback TCP, disk to disk, no trackers, no DHT.
//   seed FILE            -> prints {torrent (base64), port}
//   get TORRENT PORT DIR -> prints {seconds, bytes}
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
  client.seed(args[0], { announce: [] }, (torrent) => {
    const done = { torrent: Buffer.from(torrent.torrentFile).toString("base64"), port: client.torrentPort };
    console.log(JSON.stringify(done));
  });
} else {
  const [torrentFile, port, directory] = args;
  const start = performance.now();
  client.add(Buffer.from(torrentFile, "base64"), { path: directory, announce: [] }, (torrent) => {
    torrent.addPeer(`127.0.0.1:${port}`);
    torrent.on("done", () => {
      console.log(JSON.stringify({ seconds: (performance.now() - start) / 1000, bytes: torrent.downloaded }));
      process.exit(0);
    });
  });
}
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
