/** Where webhooks may lead, and where not: src/api/webhooks/target. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPrivateTarget, isPublicAddress } from "../../../src/api/webhooks/target.ts";
import { parseIpAddress } from "../../../src/sharing/ip-address.ts";

describe("IP addresses", () => {
  it("are read in the spelling that the URL standard gives them", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
        expect(parseIpAddress(address)).toEqual(parseIpAddress(shortest));
        expect(parseIpAddress(address)).toBeDefined();
      }),
    );
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(parseIpAddress(address)).toEqual(Uint8Array.from(address.split("."), Number));
      }),
    );
  });

  it.each([
    "",
    "1",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "01.2.3.4",
    "1.2.3.4 ",
    "::1::",
    ":::",
    "1:2:3:4:5:6:7",
    "::12345",
    "g::",
    "1:2:3:4:5:6:7:8:9",
    "1.2.3.4::",
    "::1.2.3.4:5",
    "[::1]",
  ])("are not %j", (text) => {
    expect(parseIpAddress(text)).toBeUndefined();
  });
});

describe("targets of webhooks", () => {
  const octet = fc.nat(255);
  const privateIpv4 = fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127, 224, 239, 240, 255), octet, octet, octet),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(198), fc.integer({ min: 18, max: 19 }), octet, octet),
  );

  it("are no special IPv4 address, in whatever clothes it comes", () => {
    fc.assert(
      fc.property(privateIpv4, (bytes) => {
        const dotted = bytes.join(".");
        const hex = bytes
          .map((byte) => byte.toString(16).padStart(2, "0"))
          .join("")
          .replace(/^(.{4})/, "$1:");
        for (const address of [
          dotted,
          `::ffff:${dotted}`,
          `::ffff:${hex}`,
          `0:0:0:0:0:ffff:${hex}`,
          `64:ff9b::${dotted}`,
          `64:ff9b::${hex}`,
          `::${dotted}`,
          `2002:${hex}::1`,
        ]) {
          expect(isPublicAddress(address), address).toBe(false);
        }
      }),
    );
  });

  it("are no IPv6 address outside global unicast", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        fc.pre((bytes[0] ?? 0) >> 5 !== 1 && !(bytes[0] === 0 && bytes[1] === 0x64));
        fc.pre(bytes.subarray(0, 10).some((byte) => byte !== 0));
        const address = Buffer.from(bytes)
          .toString("hex")
          .replace(/(.{4})(?!$)/g, "$1:");
        expect(isPublicAddress(address)).toBe(false);
      }),
    );
  });

  it.each([
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12::1",
    "ff02::1",
    "2001:db8::1",
    "2001::1",
    "2001:1ff:ffff::1",
    "2620:4f:8000::1",
    "3fff:fff::1",
    "192.0.0.255",
    "192.0.2.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.1",
    "192.175.48.1",
    "198.51.100.1",
    "203.0.113.1",
    "example.org",
    "",
  ])("are not %j", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    "1.1.1.1",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1",
    "44.16.0.1",
    "192.0.1.1",
    "198.17.0.1",
    "198.20.0.1",
    "223.255.255.255",
    "2001:200::1",
    "2620:4f:8001::1",
    "3fff:1000::1",
    "2606:4700::1111",
    "64:ff9b::1.1.1.1",
    "::ffff:8.8.8.8",
  ])("may be %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "http://localhost/",
    "http://LOCALHOST.:80/",
    "http://a.localhost/",
    "http://printer.local/",
    "http://intranet/",
    "http://127.1/",
    "http://0x7f000001/",
    "http://[::ffff:10.0.0.1]/",
    "http://10.0.0.1./",
  ])("are refused when set as %s", (url) => {
    expect(isPrivateTarget(new URL(url))).toBe(true);
  });

  it.each(["http://1.1.1.1/", "http://1.1.1.1./", "http://[2606:4700::1111]/"])("may be set as %s", (url) => {
    expect(isPrivateTarget(new URL(url))).toBe(false);
  });

  it("may be any other name, which is checked once it is resolved", () => {
    expect(isPrivateTarget(new URL("https://hooks.example.org/shoal"))).toBe(false);
  });
});
