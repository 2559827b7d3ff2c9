/**
 * RTCPeerConnection as libp2p needs it. Imported by transports before libp2p, which takes the global one.
 *
 * A WebRTC dial opens a data channel named `init`, and @libp2p/webrtc closes it on both sides at once. When the two
 * closings cross, Chromium loses one in up to 15 % of dials; Firefox never answers a closing that comes right after the
 * opening; and the dial waits for it until its time-out (both measured). Here nobody closes it: the dialer is told that
 * it has closed, and it stays, unused, as long as the connection.
 *
 * When the other end closes, or its page is left or loaded again, SCTP says so within 130 ms, in Chromium and Firefox. The
 * state of the connection, to which alone libp2p listens, does not change before ICE has heard nothing for 15 s (all
 * measured); until then a dead connection would be taken for a way to a peer that is back under the same id. Here it is
 * closed at once. Source: WebRTC, section 6.1.1.2 and 4.4.3.
 *
 * Chromium never frees a connection that is closed while it has a change to tell of, and gives a page 500: of bare ones closed in
 * the task after their description was set, more than half stayed (measured). Here one that has just changed counts as closed at
 * once, and is closed when it has been quiet for a while.
 */
import { CLOSING_QUIET_MS } from "../limits.ts";

const INIT = "init";

const CHANGES = [
  "signalingstatechange",
  "icegatheringstatechange",
  "icecandidate",
  "iceconnectionstatechange",
  "connectionstatechange",
];

class LibP2pPeerConnection extends RTCPeerConnection {
  #isClosed = false;
  #changedMs = Number.NEGATIVE_INFINITY;

  constructor(configuration?: RTCConfiguration) {
    super(configuration);
    for (const change of CHANGES) {
      this.addEventListener(change, () => {
        this.#changedMs = performance.now();
      });
    }
    this.addEventListener("datachannel", (event) => {
      if (this.#isClosed) event.stopImmediatePropagation();
      if (event.channel.label === INIT) event.channel.close = () => undefined;
    });
    const onTransportChange = () => this.#endIfLeft();
    this.addEventListener("connectionstatechange", () => {
      if (this.connectionState !== "closed") this.sctp?.addEventListener("statechange", onTransportChange);
    });
  }

  override get connectionState(): RTCPeerConnectionState {
    return this.#isClosed ? "closed" : super.connectionState;
  }

  override close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closeOnceQuiet();
  }

  #closeOnceQuiet(): void {
    const quietMs = performance.now() - this.#changedMs;
    if (quietMs >= CLOSING_QUIET_MS) super.close();
    else setTimeout(() => this.#closeOnceQuiet(), CLOSING_QUIET_MS - quietMs);
  }

  override createDataChannel(label: string, options?: RTCDataChannelInit): RTCDataChannel {
    if (this.connectionState === "closed") {
      // Whoever opens a channel on a closed connection did not listen yet when it ended.
      this.dispatchEvent(new Event("connectionstatechange"));
      throw new DOMException("the connection is closed", "InvalidStateError");
    }
    const channel = super.createDataChannel(label, options);
    if (label === INIT) {
      channel.close = () => queueMicrotask(() => channel.dispatchEvent(new Event("close")));
    }
    return channel;
  }

  /** A connection tells nobody of its own closing, so that is said here. */
  #endIfLeft(): void {
    if (this.sctp?.state !== "closed" || this.connectionState === "closed") return;
    this.close();
    this.dispatchEvent(new Event("connectionstatechange"));
  }
}

globalThis.RTCPeerConnection = LibP2pPeerConnection;
