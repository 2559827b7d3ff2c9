/** A node as the headless main joins it, as far as side streams go: network, exchange, the door and the path. */
import { generateKeyPair } from "@libp2p/crypto/keys";
import { multiaddr } from "@multiformats/multiaddr";
import { onTestFinished } from "vitest";
import { createExchange, type RunningExchange } from "../../../src/exchange/exchange.ts";
import { OfferedSides } from "../../../src/exchange/serving/offered-sides.ts";
import type { SidePath, SideWay } from "../../../src/exchange/side-path.ts";
import { nativeTls } from "../../../src/headless/network/native-tls.ts";
import { SideDoor } from "../../../src/headless/network/side-door.ts";
import { createTlsSidePath } from "../../../src/headless/network/tls-side-path.ts";
import { headlessTransports } from "../../../src/headless/network/transports.ts";
import { socketOf } from "../../../src/network/connecting/remote-address.ts";
import type { Network } from "../../../src/network/network.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";
import { openNode } from "../../network/open-node.ts";

export interface SideNode {
  network: Network;
  exchange: RunningExchange;
  peerId: string;
  sides: OfferedSides;
  door: SideDoor;
  /** The port at which it meets its peers. */
  port: number;
  /** Side streams that it has opened and that have not ended, bytes that came on all of them, and what was lost. */
  aside: { opened: number; open: number; bytes: number; lost: unknown[] };
  /** What its door turned away. */
  refused: unknown[];
}

/** `path`: in place of the way that leads to the peer. */
export async function sideNode(path?: (network: Network) => SidePath): Promise<SideNode> {
  const privateKey = await generateKeyPair("Ed25519");
  const sides = new OfferedSides(systemClock);
  const refused: unknown[] = [];
  const door = new SideDoor({ privateKey, sides, onRefused: (reason) => void refused.push(reason) });
  const network = await openNode({
    privateKey,
    transports: headlessTransports({ iceServers: [], takeTls: (socket) => door.take(socket) }),
    encrypters: [nativeTls()],
  });
  const aside: SideNode["aside"] = { opened: 0, open: 0, bytes: 0, lost: [] };
  const exchange = createExchange({
    streams: network,
    clock: systemClock,
    sides,
    sidePath: counted(path?.(network) ?? createTlsSidePath(network), aside),
    onSideLost: (_, reason) => void aside.lost.push(reason),
  });
  await exchange.ready;
  onTestFinished(async () => {
    exchange.stop();
    door.stop();
    await network.stop();
  });
  const [address] = network.swarm.addresses();
  const port = socketOf(multiaddr(address))?.port ?? 0;
  return { network, exchange, peerId: network.swarm.nodeId, sides, door, port, aside, refused };
}

function counted(path: SidePath, count: SideNode["aside"]): SidePath {
  const countedWay = (way: SideWay): SideWay => ({
    ...way,
    async read(ticket, take, signal) {
      count.opened += 1;
      count.open += 1;
      const onBytes = (bytes: Uint8Array) => {
        count.bytes += bytes.length;
        take(bytes);
      };
      await way.read(ticket, onBytes, signal).finally(() => {
        count.open -= 1;
      });
    },
  });
  return {
    to(peerId) {
      const way = path.to(peerId);
      return way && countedWay(way);
    },
  };
}
