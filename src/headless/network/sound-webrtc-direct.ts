/**
 * libp2p's WebRTC-direct, which makes its certificate whatever number that gets: the library reads the digits of `Math.random()`
 * as one, which those below a millionth, written with an exponent, are not. One start in a million failed. (In a page it makes
 * none.) Called by bounded-webrtc-direct. Source: `createCertificate` of @libp2p/webrtc 6.0.
 */
import { webRTCDirect } from "@libp2p/webrtc";

type Init = Parameters<typeof webRTCDirect>[0];

/** What the library's types don't show of its transport. */
export interface CertifiedTransport {
  createCertificate(...parts: unknown[]): Promise<unknown>;
}

export function soundWebRTCDirect(init?: Init): ReturnType<typeof webRTCDirect> {
  const create = webRTCDirect(init);
  return (components) => {
    const transport = create(components);
    const certified = transport as unknown as CertifiedTransport;
    const createCertificate = certified.createCertificate.bind(transport);
    certified.createCertificate = (...parts) =>
      createCertificate(...parts).catch((error: unknown) => {
        if (error instanceof SyntaxError) return createCertificate(...parts);
        throw error;
      });
    return transport;
  };
}
