/** Links to files: what is written is read again, and a stranger's text gives nothing but a clean link or none. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressesForCode, addressesForLink } from "../../../src/ui/link-addresses.ts";
import { fragmentOf, linkUrl, parseLink, parseLinks } from "../../../src/ui/links.ts";

const FILE_ID = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
const FULL = `https://share.example/app/#/get/${FILE_ID}?name=two+words.txt&size=11&at=/ip4/192.0.2.1/tcp/4001/ws/p2p/12D3KooW`;

const fileId = fc
  .string({ unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz234567"), minLength: 58, maxLength: 58 })
  .map((rest) => `b${rest}`);
const address = fc.webPath().filter((path) => path.startsWith("/") && path.length <= 512);
const shownName = fc
  .string({ minLength: 1, maxLength: 40, unit: fc.constantFrom(..."aé漢🐟 .-_&=#?+%/\"<>'") })
  .filter((name) => name.trim() === name);

describe("links", () => {
  test("a link reads as it was written", () => {
    fc.assert(
      fc.property(
        fileId,
        shownName,
        fc.maxSafeNat(),
        fc.array(address, { maxLength: 8 }),
        fc.boolean(),
        (id, name, sizeBytes, addresses, unlisted) => {
          const link = { fileId: id, name, sizeBytes, ...(unlisted && { unlisted }), addresses };
          expect(parseLink(linkUrl("https://share.example/#/files", link))).toEqual(link);
          expect(parseLink(fragmentOf(link))).toEqual(link);
        },
      ),
    );
  });

  test("all but the page stands in the fragment", () => {
    const url = new URL(
      linkUrl("https://share.example/app/", {
        fileId: FILE_ID,
        name: "secret plan.pdf",
        addresses: ["/ip4/192.0.2.1/tcp/1"],
      }),
    );
    expect(url.pathname + url.search).toBe("/app/");
    expect(url.hash).toContain(FILE_ID);
  });

  test("a link that was made before is read for ever", () => {
    expect(parseLink(FULL)).toEqual({
      fileId: FILE_ID,
      name: "two words.txt",
      sizeBytes: 11,
      addresses: ["/ip4/192.0.2.1/tcp/4001/ws/p2p/12D3KooW"],
    });
  });

  test("an id in capitals is that of the lists", () => {
    for (const text of [
      FILE_ID.toUpperCase(),
      `https://share.example/#/get/${FILE_ID.toUpperCase()}?name=a`,
    ]) {
      expect(parseLink(text)).toMatchObject({ fileId: FILE_ID });
    }
  });

  test.each([
    FILE_ID,
    `  ${FILE_ID}\n`,
    "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG",
    `ipfs://${FILE_ID}`,
    `/ipfs/${FILE_ID}`,
    `web+shoal:get/${FILE_ID}`,
    `web+shoal://get/${FILE_ID}/`,
    `#/get/${FILE_ID}`,
  ])("%s names a file", (text) => {
    expect(parseLink(text)?.addresses).toEqual([]);
  });

  test.each([
    "",
    "hello",
    "https://example.org/",
    "#/files",
    "#/get/",
    "#/get/nothing",
    `x${FILE_ID}`,
    "/ip4/127.0.0.1/tcp/1",
  ])("%j names none", (text) => {
    expect(parseLink(text)).toBeUndefined();
  });

  test("any text is read or refused, and what is read is clean", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 300 }),
        fc.string({ unit: "binary", maxLength: 400 }),
        (name, size) => {
          const link = parseLink(`#/get/${FILE_ID}?${new URLSearchParams({ name, size, at: name })}`);
          expect(link?.fileId).toBe(FILE_ID);
          expect(link?.name ?? "").not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
          expect([...(link?.name ?? "")].length).toBeLessThanOrEqual(255);
          expect(Number.isSafeInteger(link?.sizeBytes ?? 0)).toBe(true);
          for (const at of link?.addresses ?? []) expect(at.startsWith("/")).toBe(true);
        },
      ),
    );
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void parseLink(text)));
  });

  test("a name can't turn the text around it, and keeps what joins its letters", () => {
    const link = parseLink(
      `#/get/${FILE_ID}?name=${encodeURIComponent("invoice\u202Efdp.exe \u{1F469}\u200D\u{1F680}")}`,
    );
    expect(link?.name).toBe("invoicefdp.exe \u{1F469}\u200D\u{1F680}");
  });

  test("a name that can't be seen is none", () => {
    for (const name of ["\u200d\u200c", " \u202e\u200d "]) {
      expect(parseLink(`#/get/${FILE_ID}?name=${encodeURIComponent(name)}`)).not.toHaveProperty("name");
    }
  });

  test("no more than eight addresses are taken, none of them long", () => {
    const many = Array.from({ length: 20 }, (_, index) => `/ip4/192.0.2.${index}/tcp/1`);
    expect(parseLink(fragmentOf({ fileId: FILE_ID, addresses: many }))?.addresses).toEqual(many.slice(0, 8));
    const long = `#/get/${FILE_ID}?at=/${"a".repeat(600)}&at=/ip4/192.0.2.1`;
    expect(parseLink(long)?.addresses).toEqual(["/ip4/192.0.2.1"]);
  });

  test("an address that turns the text around it is none", () => {
    const turned = encodeURIComponent("/dns4/\u202egro.elpmaxe/tcp/1");
    const link = parseLink(`#/get/${FILE_ID}?at=${turned}&at=/dns4/example.org/tcp/1`);
    expect(link?.addresses).toEqual(["/dns4/example.org/tcp/1"]);
  });
});

describe("several links", () => {
  test("those of a page read as they were copied, one a file", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fileId, { minLength: 1, maxLength: 20 }), shownName, (ids, name) => {
        const links = ids.map((id) => ({ fileId: id, name, addresses: ["/ip4/192.0.2.1/tcp/4001/ws"] }));
        const copied = links.map((link) => linkUrl("https://share.example/", link)).join("\n");
        expect(parseLinks(copied)).toEqual(links);
        expect(parseLinks(`${copied}\r\n${copied}`)).toEqual(links);
      }),
    );
  });

  test("are found among the words of a message", () => {
    const message = `Our photos: ${FULL} and\tthe film, web+shoal:${FILE_ID.replace("bafk", "bafy")} (all of it)`;
    expect(parseLinks(message).map(({ fileId: id }) => id)).toEqual([
      FILE_ID,
      FILE_ID.replace("bafk", "bafy"),
    ]);
    expect(parseLinks("no link, nor https://share.example/#/get/bafkrei")).toEqual([]);
    expect(parseLinks("")).toEqual([]);
  });

  test("are read without what a sentence puts around them", () => {
    const whole = parseLink(FULL);
    for (const text of [`Here: ${FULL}.`, `(${FULL})`, `<${FULL}>,`, `“${FULL}”!`, `"${FULL}"…`]) {
      expect(parseLinks(text)).toEqual([whole]);
    }
    for (const text of [
      `It is ${FILE_ID}.`,
      `(https://share.example/#/get/${FILE_ID})`,
      `“ipfs://${FILE_ID}”`,
      `\`${FILE_ID}\``,
      `文件在这里（https://share.example/#/get/${FILE_ID}）。`,
      `「https://share.example/#/get/${FILE_ID}」、`,
    ]) {
      expect(parseLinks(text)).toEqual([{ fileId: FILE_ID, addresses: [] }]);
    }
  });

  test("are looked for in any text in no time", () => {
    expect(parseLink(`${"#/get/a?".repeat(30_000)} x`)).toBeUndefined();
    expect(parseLinks(`x${")".repeat(300_000)}x`)).toEqual([]);
  });

  test("no more than a thousand are taken", () => {
    const letters = "abcdefghijklmnopqrstuvwxyz234567";
    const ids = Array.from(
      { length: 1_024 },
      (_, n) => `b${letters[n >> 5]}${letters[n & 31]}${"a".repeat(56)}`,
    );
    expect(parseLinks(ids.join(" "))).toHaveLength(1_000);
  });
});

describe("the addresses in a link", () => {
  const relay = "/p2p/12D3KooWRelay/p2p-circuit";
  const overWs = `/ip4/192.0.2.1/tcp/1/ws${relay}/webrtc/p2p/12D3KooWSelf`;
  const overDirect = `/ip4/192.0.2.1/udp/1/webrtc-direct/certhash/uEi${relay}/webrtc/p2p/12D3KooWSelf`;

  test("of a page are those from page to page, the surest first", () => {
    const relayed = `/ip4/192.0.2.1/tcp/1/ws${relay}/p2p/12D3KooWSelf`;
    expect(addressesForLink([relayed, overDirect, overWs])).toEqual([overWs, overDirect]);
  });

  test("are one a machine where they are drawn as a code", () => {
    const elsewhere = `/dns4/node.example/tcp/443/tls/ws${relay}/webrtc/p2p/12D3KooWSelf`;
    expect(addressesForCode([overDirect, overWs, elsewhere])).toEqual([overWs, elsewhere]);
  });

  test("of a headless node are at most three, those a browser dials before those it does not, this machine's last", () => {
    const direct = "/ip4/192.0.2.1/udp/4/webrtc-direct/certhash/uEi/p2p/12D3KooWSelf";
    const ws = "/ip4/192.0.2.1/tcp/3/ws/p2p/12D3KooWSelf";
    const tcp = "/ip4/192.0.2.1/tcp/2/p2p/12D3KooWSelf";
    const own = "/ip4/127.0.0.1/tcp/3/ws/p2p/12D3KooWSelf";
    expect(addressesForLink([own, tcp, ws, direct])).toEqual([direct, ws, tcp]);
    expect(addressesForLink([own])).toEqual([own]);
  });
});
