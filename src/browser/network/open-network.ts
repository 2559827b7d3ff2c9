/**
 * The swarm as this page joins it, by its settings and by what its host tells: its transports, addresses and discovery. Called
 * by start-node; calls openNetwork.
 */
import type { HostSettings } from "../../api/ports.ts";
import { type Network, type NetworkOptions, openNetwork } from "../../network/network.ts";
import type { Closers } from "../../sharing/closers.ts";
import type { Log } from "../../sharing/ports.ts";
import { systemClock as clock } from "../../sharing/system-clock.ts";
import type { HostNetwork } from "./host-network.ts";
import { PAGE_LISTEN, pageTransports } from "./transports.ts";

interface OpenNetworkParts
  extends Pick<Required<NetworkOptions>, "privateKey" | "noiseCrypto" | "datastore"> {
  host: HostNetwork;
  log: Log;
  closers: Closers;
}

export function openPageNetwork(
  settings: Pick<HostSettings, "bootstrap" | "ice_servers" | "swarm">,
  { host, privateKey, noiseCrypto, datastore, log, closers }: OpenNetworkParts,
): Promise<Network> {
  const opening = openNetwork({
    privateKey,
    noiseCrypto,
    transports: pageTransports({ iceServers: [...host.iceServers, ...settings.ice_servers], log }),
    listen: PAGE_LISTEN,
    bootstrap: [...new Set([...settings.bootstrap, ...host.bootstrap])],
    swarmName: settings.swarm,
    relayServer: false,
    datastore,
    dhtMode: "client",
    clock,
    agentVersion: `shoal/${__SHOAL_VERSION__} (page)`,
    log: (what, details) => log.debug(what, details),
  });
  return closers.keep(opening, (it) => it.stop());
}
