/** A TCP line between two nodes that can fall silent as a lost network does: both ends stay open and hear nothing more. */
import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface SilentLine {
  /** Where to dial in place of the address that the line leads to. */
  address: string;
  fallSilent(): void;
}

/** Ends with the test. `address` is a TCP multiaddr. */
export async function lineTo(address: string): Promise<SilentLine> {
  const [, port, rest] = /^\/ip4\/127\.0\.0\.1\/tcp\/(\d+)(.*)$/.exec(address) ?? [];
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = dial({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true });
    for (const socket of [near, far]) socket.on("error", () => undefined);
    sockets.push(near, far);
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    address: `/ip4/127.0.0.1/tcp/${(server.address() as AddressInfo).port}${rest}`,
    fallSilent: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}
