/** The geometry of the small drawings: sparkline, QR code, swarm map, peer colours. */
import { encodeQR } from "qr";
import { decodeQR } from "qr/decode.js";
import { describe, expect, it } from "vitest";
import { MAX_DRAWN_PEERS, PEER_HUES } from "../../../src/ui/drawings/limits.ts";
import { peerColour, peerHue } from "../../../src/ui/drawings/peer-colours.ts";
import { qrPath } from "../../../src/ui/drawings/qr-path.ts";
import { sparkPath } from "../../../src/ui/drawings/spark-path.ts";
import { flowStrength, placesOf } from "../../../src/ui/drawings/swarm-layout.ts";

describe("a sparkline", () => {
  it("touches the top with its highest value and the bottom with zero", () => {
    expect(sparkPath([0, 10, 5], 100, 20).line).toBe("M0 20L50 0L100 10");
  });

  it("lies on the bottom when nothing flows, and is empty without values", () => {
    expect(sparkPath([0, 0], 100, 20).line).toBe("M0 20L100 20");
    expect(sparkPath([], 100, 20)).toEqual({ line: "", area: "" });
  });

  it("closes its area along the bottom", () => {
    expect(sparkPath([1, 1], 100, 20).area).toBe("M0 0L100 0V20H0Z");
  });
});

describe("a QR code's path", () => {
  it("has one rectangle for each dark stretch of a row", () => {
    const modules = [
      [true, true, false, true],
      [false, false, false, false],
      [false, true, true, false],
    ];
    expect(qrPath(modules)).toBe("M0 0h2v1h-2zM3 0h1v1h-1zM1 2h2v1h-2z");
  });

  it("reads as the text when it is filled in", () => {
    const text = "http://127.0.0.1:8080/#/get/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
    const modules = encodeQR(text, "raw", { border: 4 });
    const scale = 4;
    const width = modules.length * scale;
    const data = new Uint8ClampedArray(width * width * 4).fill(255);
    for (const [, x, y, length] of qrPath(modules).matchAll(/M(\d+) (\d+)h(\d+)/g)) {
      for (let row = 0; row < scale; row++) {
        const start = (Number(y) * scale + row) * width + Number(x) * scale;
        for (let at = start; at < start + Number(length) * scale; at++) data.fill(0, at * 4, at * 4 + 3);
      }
    }
    expect(decodeQR({ width, height: width, data })).toBe(text);
  });
});

describe("places around the node", () => {
  const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `peer-${index + 100}`);

  it("lie inside the drawing, apart from the middle and from each other", () => {
    for (const count of [1, 2, 7, 12, 13, 30, MAX_DRAWN_PEERS]) {
      const places = [...placesOf(idsOf(count)).values()];
      expect(places).toHaveLength(count);
      for (const { x, y } of places) {
        expect(Math.hypot(x, y)).toBeGreaterThan(0.4);
        expect(Math.hypot(x, y)).toBeLessThan(0.9);
      }
      const corners = new Set(places.map(({ x, y }) => `${x.toFixed(2)} ${y.toFixed(2)}`));
      expect(corners.size).toBe(count);
    }
  });

  it("do not depend on the order in which peers are listed", () => {
    const ids = idsOf(9);
    expect(placesOf([...ids].reverse())).toEqual(placesOf(ids));
  });

  it("are had by no more peers than can be told apart", () => {
    expect(placesOf(idsOf(MAX_DRAWN_PEERS + 5)).size).toBe(MAX_DRAWN_PEERS);
  });

  it("carry a flow as strong as the speed", () => {
    expect([0, 1023, 1024, 1e6, 1e7].map(flowStrength)).toEqual([0, 0, 1, 2, 3]);
  });
});

describe("a peer's colour", () => {
  it("stays the same, and differs between the first peers", () => {
    const ids = Array.from({ length: PEER_HUES }, (_, index) => `colour-${index}`);
    const colours = ids.map(peerColour);
    expect(new Set(colours).size).toBe(PEER_HUES);
    expect(ids.map(peerColour)).toEqual(colours);
  });

  it("is one of the theme's, however many peers there are", () => {
    for (let index = 0; index < 2000; index++) {
      expect(peerHue(`many-${index}`)).toBeGreaterThanOrEqual(1);
      expect(peerHue(`many-${index}`)).toBeLessThanOrEqual(PEER_HUES);
    }
  });
});
