/** STUN's binding requests and their answers, byte by byte: src/headless/network/stun-server. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import {
  bindingAnswer,
  openStunServer,
  readBindingRequest,
  type StunServer,
} from "../../../src/headless/network/stun-server.ts";
import { parseIpAddress } from "../../../src/sharing/ip-address.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";

const bytesOf = (address: string) => parseIpAddress(address) as Uint8Array;
const transactionIds = fc.uint8Array({ minLength: 12, maxLength: 12 });

function request(transactionId: Uint8Array, attributes: Uint8Array = new Uint8Array(0)): Uint8Array {
  const bytes = new Uint8Array(20 + attributes.byteLength);
  bytes.set([0, 1, attributes.byteLength >> 8, attributes.byteLength & 0xff, 0x21, 0x12, 0xa4, 0x42]);
  bytes.set(transactionId, 8);
  bytes.set(attributes, 20);
  return bytes;
}

/** A decoder of its own, after RFC 8489 section 14.2. */
function readAnswer(answer: Uint8Array): { port: number; address: Uint8Array } {
  const size = answer[25] === 1 ? 4 : 16;
  const port = (((answer[26] ?? 0) << 8) | (answer[27] ?? 0)) ^ 0x2112;
  const address = Uint8Array.from(answer.subarray(28, 28 + size), (byte, i) => byte ^ (answer[4 + i] ?? 0));
  return { port, address };
}

describe("reading a binding request", () => {
  it("takes a well-formed one with any attributes and gives its transaction id", () => {
    const values = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 });
    fc.assert(
      fc.property(transactionIds, values, (id, attributes) => {
        const encoded = attributes.flatMap((value) => {
          const padding = new Array<number>((4 - (value.byteLength % 4)) % 4).fill(0);
          return [0x80, 0x22, 0, value.byteLength, ...value, ...padding];
        });
        expect(readBindingRequest(request(id, Uint8Array.from(encoded)))).toEqual(id);
      }),
    );
  });

  it("takes nothing that is cut short or has bytes too many", () => {
    fc.assert(
      fc.property(
        transactionIds,
        fc.integer({ min: 0, max: 19 }),
        fc.integer({ min: 1, max: 600 }),
        (id, cut, more) => {
          const whole = request(id);
          expect(readBindingRequest(whole.slice(0, cut))).toBeUndefined();
          expect(readBindingRequest(Uint8Array.from([...whole, ...new Uint8Array(more)]))).toBeUndefined();
        },
      ),
    );
  });

  it("takes no attribute that reaches past the end", () => {
    expect(
      readBindingRequest(request(new Uint8Array(12), Uint8Array.of(0x80, 0x22, 0, 8, 1, 2, 3, 4))),
    ).toBeUndefined();
    expect(readBindingRequest(request(new Uint8Array(12), Uint8Array.of(0x80, 0x22)))).toBeUndefined();
  });

  it("takes no answer for a request, so that two servers can't be made to talk to each other", () => {
    const answer = bindingAnswer(new Uint8Array(12), { address: bytesOf("127.0.0.1"), port: 9 });
    expect(readBindingRequest(answer)).toBeUndefined();
  });

  it("never throws, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => {
        const id = readBindingRequest(bytes);
        expect(id === undefined || id.byteLength === 12).toBe(true);
      }),
    );
  });
});

describe("a binding answer", () => {
  it("holds the address and port it is sent to, for IPv4 and IPv6", () => {
    const hosts = fc.oneof(
      fc.ipV4(),
      fc.ipV6().filter((text) => !text.includes(".")),
    );
    fc.assert(
      fc.property(transactionIds, hosts, fc.integer({ min: 1, max: 65535 }), (id, address, port) => {
        const answer = bindingAnswer(id, { address: bytesOf(address), port });
        expect(readAnswer(answer)).toEqual({ port, address: bytesOf(address) });
        expect(answer.byteLength).toBe(isIPv4(address) ? 32 : 44);
      }),
    );
  });

  it("equals the test vectors of RFC 5769", () => {
    const id = Uint8Array.from(Buffer.from("b7e7a701bc34d686fa87dfae", "hex"));
    const v4 = bindingAnswer(id, { address: bytesOf("192.0.2.1"), port: 32853 });
    expect(Buffer.from(v4.slice(20)).toString("hex")).toBe("002000080001a147e112a643");
    const v6 = bindingAnswer(id, {
      address: bytesOf("2001:db8:1234:5678:11:2233:4455:6677"),
      port: 32853,
    });
    expect(Buffer.from(v6.slice(20)).toString("hex")).toBe(
      "002000140002a1470113a9faa5d3f179bc25f4b5bed2b9d9",
    );
  });
});

describe("a STUN server on loopback", () => {
  let server: StunServer;
  let client: Socket;

  afterEach(async () => {
    client.close();
    await server.close();
  });

  async function start(): Promise<void> {
    server = await openStunServer({ host: "127.0.0.1", port: 0, clock: systemClock });
    client = createSocket("udp4");
    client.bind(0, "127.0.0.1");
    await once(client, "listening");
  }

  it("tells a client the port it has", async () => {
    await start();
    client.send(request(new Uint8Array(12).fill(7)), server.port, "127.0.0.1");
    const [answer] = await once(client, "message");
    expect(readAnswer(answer)).toEqual({ port: client.address().port, address: Uint8Array.of(127, 0, 0, 1) });
  });

  it("answers a host that floods it only so often", async () => {
    await start();
    let answers = 0;
    client.on("message", () => {
      answers += 1;
    });
    const sends = Array.from(
      { length: 200 },
      () =>
        new Promise<void>((resolve) =>
          client.send(request(new Uint8Array(12)), server.port, "127.0.0.1", () => resolve()),
        ),
    );
    await Promise.all(sends);
    // Another host of loopback is answered after all of those were taken in, since a socket keeps their order.
    const other = createSocket("udp4");
    other.bind(0, "127.0.0.2");
    await once(other, "listening");
    other.send(request(new Uint8Array(12)), server.port, "127.0.0.1");
    await once(other, "message");
    other.close();
    expect(answers).toBeGreaterThan(0);
    expect(answers).toBeLessThan(40);
  });
});
