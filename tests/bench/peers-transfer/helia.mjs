// One side of a Helia (bitswap) transfer over loopback TCP, blocks on disk. Needs Node.js 22.
//   seed FILE DIR        -> prints {cid, address}
//   get CID ADDRESS DIR  -> prints {seconds, bytes}; the file is written out as well, as our download does
import { createReadStream, createWriteStream } from "node:fs";
import { Writable } from "node:stream";
import { withBitswap } from "@helia/bitswap";
import { withLibp2pLight } from "@helia/libp2p";
import { unixfs } from "@helia/unixfs";
import { identify } from "@libp2p/identify";
import { noise } from "@libp2p/noise";
import { tcp } from "@libp2p/tcp";
import { yamux } from "@libp2p/yamux";
import { multiaddr } from "@multiformats/multiaddr";
import { FsBlockstore } from "blockstore-fs";
import { createHeliaLight } from "helia";
import { CID } from "multiformats/cid";

const [mode, ...args] = process.argv.slice(2);
const blockstore = new FsBlockstore(mode === "seed" ? args[1] : args[2]);
const light = createHeliaLight({ blockstore, blockBrokers: [], routers: [] });
const helia = await withBitswap(
  withLibp2pLight(light, {
    addresses: { listen: ["/ip4/127.0.0.1/tcp/0"] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    services: { identify: identify() },
  }),
).start();
const fs = unixfs(helia);

if (mode === "seed") {
  const cid = await fs.addByteStream(createReadStream(args[0]), { profile: "unixfs-v1-2025" });
  console.log(JSON.stringify({ cid: cid.toString(), address: helia.libp2p.getMultiaddrs()[0].toString() }));
} else {
  await helia.libp2p.dial(multiaddr(args[1]));
  const start = performance.now();
  const out = Writable.toWeb(createWriteStream(`${args[2]}.out`)).getWriter();
  let bytes = 0;
  for await (const piece of fs.cat(CID.parse(args[0]))) {
    bytes += piece.length;
    await out.write(piece);
  }
  await out.close();
  console.log(JSON.stringify({ seconds: (performance.now() - start) / 1000, bytes }));
  process.exit(0);
}
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
