/**
 * The swarm as this machine joins it, by the settings: its transports, addresses and discovery. Called by main; calls
 * openNetwork.
 */
import type { PrivateKey } from "@libp2p/interface";
import { type Network, openNetwork } from "../../network/network.ts";
import type { Closers } from "../../sharing/closers.ts";
import { systemClock as clock } from "../../sharing/system-clock.ts";
import type { DataFolder } from "../data-folder.ts";
import { openLevelDatastore } from "../level/level-datastore.ts";
import type { Logger } from "../log.ts";
import { programVersion } from "../program.ts";
import type { Settings } from "../settings/settings.ts";
import { nativeTls } from "./native-tls.ts";
import { promptKeychain } from "./prompt-keychain.ts";
import type { SideDoor } from "./side-door.ts";
import { headlessTransports, listenAddresses, mdnsDiscovery } from "./transports.ts";
import type { WebSocketDoor } from "./web-socket-door.ts";

interface OpenNetworkParts {
  folder: DataFolder;
  privateKey: PrivateKey;
  door: WebSocketDoor;
  sideDoor: SideDoor;
  log: Logger;
  closers: Closers;
}

export async function openHeadlessNetwork(
  settings: Settings,
  { folder, privateKey, door, sideDoor, log, closers }: OpenNetworkParts,
): Promise<Network> {
  const datastore = await closers.keep(
    openLevelDatastore(folder.libp2pFolder, (error) => log.warn({ error }, "known peers were not written")),
    (it) => it.close(),
  );
  const opening = openNetwork({
    privateKey,
    transports: headlessTransports({
      iceServers: settings["ice-server"],
      webSocketTransport: door.transport,
      takeTls: (socket) => sideDoor.take(socket),
    }),
    encrypters: [nativeTls()],
    listen: await listenAddresses(settings.listen, settings["web-port"] !== undefined),
    bootstrap: settings.bootstrap,
    swarmName: settings.swarm,
    relayServer: settings.relay,
    ...(settings.mdns && { mdns: mdnsDiscovery(settings.swarm) }),
    datastore,
    keychain: promptKeychain(),
    dhtMode: "server",
    clock,
    agentVersion: `shoal/${programVersion()}`,
    log: (what, details) => log.debug({ part: "network", ...details }, what),
    onBootstrapTurn: (address, error) => {
      const details = { part: "network", address };
      if (error === undefined) log.info(details, "the bootstrap address is reached now");
      else
        log.warn(
          { ...details, reason: error.message },
          "a bootstrap address cannot be reached; it is tried on",
        );
    },
  });
  return closers.keep(opening, (it) => it.stop());
}
