/**
 * RTCPeerConnection as libp2p needs it. Imported by transports before libp2p, which takes the global one.
 *
 * A WebRTC dial opens a data channel named `init`, and @libp2p/webrtc closes it on both sides at once. When the two
 * closings cross, Chromium loses one in up to 15 % of dials; Firefox never answers a closing that comes right after the
 * opening; and the dial waits for it until its time-out (both measured). Here nobody closes it: the dialer is told that
 * it has closed, and it stays, unused, as long as the connection.
 */
const INIT = "init";

class LibP2pPeerConnection extends RTCPeerConnection {
  constructor(configuration?: RTCConfiguration) {
    super(configuration);
    this.addEventListener("datachannel", ({ channel }) => {
      if (channel.label === INIT) channel.close = () => undefined;
    });
  }

  override createDataChannel(label: string, options?: RTCDataChannelInit): RTCDataChannel {
    const channel = super.createDataChannel(label, options);
    if (label === INIT) {
      channel.close = () => queueMicrotask(() => channel.dispatchEvent(new Event("close")));
    }
    return channel;
  }
}

globalThis.RTCPeerConnection = LibP2pPeerConnection;
