/**
 * The RTCPeerConnection of node-datachannel, which keeps every data channel that the other end opened until the
 * connection ends, and with each the stream of libp2p: 26 kB for every ping of a page that stays open. Here nobody
 * keeps those that are closed. The build gives it to @libp2p/webrtc in place of the library's own. Source:
 * `onDataChannel` of node-datachannel 0.33.
 */
import { PeerConnection } from "node-datachannel";
import {
  RTCPeerConnection as PeerConnectionOfLibrary,
  RTCDataChannel,
  RTCDataChannelEvent,
} from "node-datachannel/polyfill";

/** For the library, which takes them from the same place. @public */
export { RTCIceCandidate, RTCSessionDescription } from "node-datachannel/polyfill";

/** Of the standard's fields those that are used here. */
interface Configuration {
  iceServers?: IceServer[];
  /** The native one beneath, where the caller has made it. */
  peerConnection?: PeerConnection;
}

interface IceServer {
  urls: string | string[];
  username?: string;
  credential?: string;
}

export class RTCPeerConnection extends PeerConnectionOfLibrary {
  /** Channels that are opening. */
  readonly #opening = new Set<RTCDataChannel>();

  constructor(configuration: Configuration = {}) {
    const peerConnection = configuration.peerConnection ?? nativeConnection(configuration);
    super({ ...configuration, peerConnection });
    // In place of the library's, which puts it into a set beforehand.
    peerConnection.onDataChannel((native) => {
      const channel = this.#watched(new RTCDataChannel(native));
      this.dispatchEvent(new RTCDataChannelEvent("datachannel", { channel }));
    });
  }

  override createDataChannel(
    ...made: Parameters<PeerConnectionOfLibrary["createDataChannel"]>
  ): RTCDataChannel {
    return this.#watched(super.createDataChannel(...made));
  }

  /** Channels that are not open by then would be told of nothing any more, and hold the connection for ever. */
  override close(): void {
    super.close();
    for (const channel of this.#opening) channel.close();
    this.#opening.clear();
  }

  #watched(channel: RTCDataChannel): RTCDataChannel {
    if (channel.readyState !== "connecting") return channel;
    this.#opening.add(channel);
    const opened = () => this.#opening.delete(channel);
    channel.addEventListener("open", opened, { once: true });
    channel.addEventListener("close", opened, { once: true });
    return channel;
  }
}

function nativeConnection({ iceServers = [], ...configuration }: Configuration): PeerConnection {
  return new PeerConnection(`peer-${crypto.randomUUID()}`, {
    ...configuration,
    iceServers: iceServers.flatMap(addressesOf),
  });
}

/** With name and password, percent-encoded by ice-servers, within the address, as the library has them. */
function addressesOf({ urls, username, credential }: IceServer): string[] {
  const all = [urls].flat();
  if (!username || !credential) return all;
  // Not as text: `$` in a password has a meaning there.
  return all.map((url) => url.replace(":", () => `:${username}:${credential}@`));
}
