/**
 * RTCPeerConnection as libp2p needs it. Imported by transports before libp2p, which takes the global one.
 *
 * A WebRTC dial opens a data channel named `init`, and @libp2p/webrtc closes it on both sides at once. When the two
 * closings cross, Chromium loses one in up to 15 % of dials, and the dial waits for it until its time-out (measured).
 * Here the side that did not create the channel leaves its closing to the one that did, as libp2p's specification says.
 */
class LibP2pPeerConnection extends RTCPeerConnection {
  constructor(configuration?: RTCConfiguration) {
    super(configuration);
    this.addEventListener("datachannel", ({ channel }) => {
      if (channel.label === "init") channel.close = () => undefined;
    });
  }
}

globalThis.RTCPeerConnection = LibP2pPeerConnection;
