/** Settings as people type them, and the identity file: src/ui/settings. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identityFileText, readIdentityFile } from "../../../src/ui/settings/identity-file.ts";
import {
  linesText,
  rateText,
  readLines,
  readRate,
  readServers,
  readSize,
  refusalText,
  sizeText,
} from "../../../src/ui/settings/setting-texts.ts";

describe("a speed", () => {
  it("is typed in MB/s, with a point or a comma; nothing is no limit", () => {
    expect(readRate("2.5")).toEqual({ value: 2_500_000 });
    expect(readRate(" 0,25 ")).toEqual({ value: 250_000 });
    expect(readRate("")).toEqual({ value: null });
  });

  it("is refused where it is no number above zero", () => {
    for (const text of ["0", "-1", "fast", "1e9", "1 2", "."]) expect(readRate(text)).toHaveProperty("error");
  });

  it("reads as it is shown", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 12 }), (rate) => {
        expect(readRate(rateText(rate))).toEqual({ value: rate });
      }),
    );
    expect(readRate(rateText(null))).toEqual({ value: null });
  });
});

describe("a size", () => {
  it("is typed in GB", () => {
    expect(readSize("10")).toEqual({ value: 10e9 });
    expect(sizeText(10_737_418_240)).toBe("10.74");
    expect(readSize("")).toHaveProperty("error");
    expect(readSize("99999999")).toHaveProperty("error");
  });

  it("reads as it is shown, however small or round it is", () => {
    for (const bytes of [1, 1_000_000, 99_999_999, 5_125_000_000, 20e9]) {
      expect(readSize(sizeText(bytes))).toEqual({ value: bytes });
    }
    expect(sizeText(1_000_000)).toBe("0.001");
    expect(sizeText(20e9)).toBe("20");
  });
});

describe("a refusal", () => {
  it("names no field of the API, and the entry of a list", () => {
    expect(refusalText("Name: must have at most 64 characters.", "name")).toBe(
      "Must have at most 64 characters.",
    );
    expect(refusalText("Bootstrap[1]: must be a multiaddr.", "bootstrap")).toBe(
      "Entry 2: must be a multiaddr.",
    );
    expect(refusalText("The disk fails.", "name")).toBe("The disk fails.");
  });
});

describe("a list", () => {
  it("has an entry a line, and none for empty ones", () => {
    expect(readLines(" /ip4/127.0.0.1/tcp/1 \n\n/ip4/127.0.0.1/tcp/2\n")).toEqual({
      value: ["/ip4/127.0.0.1/tcp/1", "/ip4/127.0.0.1/tcp/2"],
    });
    expect(readLines(linesText([]))).toEqual({ value: [] });
  });

  it("of servers has commas in passwords", () => {
    const servers = ["turn:ada:a,b@turn.example", "stun:stun.example", "stuns:stun.example"];
    for (const between of ["\n", ", "]) {
      expect(readServers(servers.join(between))).toEqual({ value: servers });
    }
  });
});

describe("an identity file", () => {
  it("reads as it was written", () => {
    const identity = { nodeId: "12D3KooW", privateKey: "CAESQA==" };
    expect(readIdentityFile(identityFileText(identity))).toEqual(identity);
  });

  it("is refused with what is wrong", () => {
    const broken = identityFileText({ nodeId: "a", privateKey: "not base64!" });
    expect(() => readIdentityFile(broken)).toThrow("damaged");
    expect(() => readIdentityFile("{}")).toThrow("no identity file of Shoal");
    expect(() => readIdentityFile("null")).toThrow("no identity file of Shoal");
    expect(() => readIdentityFile("hello")).toThrow("no JSON");
    expect(() => readIdentityFile(" ".repeat(20_000))).toThrow("too long");
  });
});
