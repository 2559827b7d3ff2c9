/** The certificate of WebRTC-direct, by the number in a million with which libp2p makes none. */
import "../../../src/headless/node20-shims.ts";
import type { webRTCDirect } from "@libp2p/webrtc";
import { Key } from "interface-datastore";
import { expect, it, vi } from "vitest";
import {
  type CertifiedTransport,
  soundWebRTCDirect,
} from "../../../src/headless/network/sound-webrtc-direct.ts";

type Components = Parameters<ReturnType<typeof webRTCDirect>>[0];

it("is made where the first random number is written with an exponent", async () => {
  const components = { logger: { forComponent: () => () => undefined } } as unknown as Components;
  const transport = soundWebRTCDirect()(components) as unknown as CertifiedTransport;
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  const random = vi.spyOn(Math, "random").mockReturnValueOnce(7.470441107937376e-7);
  try {
    const certificate = await transport.createCertificate(new Key("/certificate"), keys);
    expect(certificate).toMatchObject({ serialNumber: expect.stringMatching(/^[0-9a-f]{8,}$/) });
    expect(random.mock.calls.length).toBeGreaterThan(1);
  } finally {
    random.mockRestore();
  }
});
