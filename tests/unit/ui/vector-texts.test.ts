/** What the screen of vectors makes of typed texts and files: src/ui/vectors. */
import { Table, tableToIPC, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Client } from "../../../src/client/vx-client.ts";
import { archiveNameOf } from "../../../src/ui/vectors/archive-name.ts";
import { addVectorFile } from "../../../src/ui/vectors/vector-file.ts";
import { readMetadata, readVector } from "../../../src/ui/vectors/vector-text.ts";
import { vectorSchema } from "../../../src/vx/arrow/read-arrow.ts";

describe("a typed vector", () => {
  it("is read as JSON, and as numbers with anything usual between them", () => {
    for (const text of ["[1, -2.5, 3e-2]", "1 -2.5 0.03", "1,-2.5,0.03", "1\n-2.5\n.03", "[1;-2.5;0.03]"]) {
      expect(readVector(text, 3)).toEqual({ vector: [1, -2.5, 0.03] });
    }
  });

  it("is what JSON.stringify wrote", () => {
    const numbers = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 });
    fc.assert(
      fc.property(numbers, (vector) => {
        expect(readVector(JSON.stringify(vector), vector.length)).toEqual({
          vector: vector.map((value) => value + 0),
        });
      }),
    );
  });

  it("is refused with what is wrong", () => {
    expect(readVector("[1, two, 3]", 3)).toEqual({ error: "“two” is no number (place 2)." });
    expect(readVector("[1, NaN, 3]", 3)).toEqual({ error: "“NaN” is no number (place 2)." });
    expect(readVector("1 2", 3)).toEqual({
      error: "This index takes vectors of 3 numbers; here are 2.",
    });
    expect(readVector(" [ ] ", undefined)).toHaveProperty("error");
  });
});

describe("typed metadata", () => {
  it("is one JSON object, or nothing", () => {
    expect(readMetadata(' {"a": [1]} ')).toEqual({ metadata: { a: [1] } });
    expect(readMetadata("")).toEqual({ metadata: {} });
    for (const text of ["[1]", "null", "3", "{", "a"]) expect(readMetadata(text)).toHaveProperty("error");
  });
});

describe("an uploaded archive's name", () => {
  it("is one that the node takes, whatever the file was called", () => {
    const taken = /^[\w-][\w.-]*\.zip$/;
    const names = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(names, (name) => {
        expect(archiveNameOf(name)).toMatch(taken);
      }),
    );
    expect(archiveNameOf("my backup (2).zip")).toBe("my-backup-2-.zip");
    expect(archiveNameOf("vx-1.zip")).toBe("vx-1.zip");
  });
});

describe("a file of vectors", () => {
  /** What reaches the node. */
  async function sent(file: File): Promise<{ path: string; type: string | null; bytes: Uint8Array }> {
    const requests: Request[] = [];
    const vx = new Client("http://node.test", {
      fetch: async (request) => {
        requests.push(request);
        return Response.json({ success: true, count: 3 });
      },
    });
    expect(await addVectorFile(vx, file)).toBe(3);
    const [request] = requests as [Request];
    return {
      path: new URL(request.url).pathname,
      type: request.headers.get("content-type"),
      bytes: new Uint8Array(await request.arrayBuffer()),
    };
  }
  const fileOf = (...parts: ConstructorParameters<typeof File>[0]) => new File(parts, "file");

  const { fields } = vectorSchema(2);
  const table = new Table({
    id: vectorFromArray([3n, 4n], fields[0]?.type),
    vector: vectorFromArray(
      [
        [1, 0],
        [0, 1],
      ],
      fields[1]?.type,
    ),
  });
  const stream = new Uint8Array(tableToIPC(table, "stream"));

  it("of JSON goes as it is, an array in the shape of a batch", async () => {
    const text = '[{"id":1,"vector":[1,2]}]';
    const batch = new TextEncoder().encode(`{"vectors":${text}}`);
    for (const space of [" \n", " ".repeat(100_000)]) {
      const array = await sent(fileOf(space, text));
      expect([array.path, array.type]).toEqual(["/vectors/batch", "application/json"]);
      expect(JSON.parse(new TextDecoder().decode(array.bytes))).toEqual(
        JSON.parse(new TextDecoder().decode(batch)),
      );
    }
    expect((await sent(fileOf(batch))).bytes).toEqual(batch);
  });

  it("of JSON goes without the mark that some programs put before UTF-8", async () => {
    const mark = Uint8Array.of(0xef, 0xbb, 0xbf);
    for (const text of ["[]", '{"vectors":[]}']) {
      const { bytes } = await sent(fileOf(mark, text));
      const asSent = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
      expect(JSON.parse(asSent)).toEqual({ vectors: [] });
    }
  });

  it("of Arrow goes as its stream", async () => {
    const { path, type, bytes } = await sent(fileOf(stream));
    expect([path, type]).toEqual(["/vectors/arrow", "application/vnd.apache.arrow.stream"]);
    expect(bytes).toEqual(stream);
  });

  it("in Arrow's file format goes without what stands around the stream", async () => {
    const magic = new TextEncoder().encode("ARROW1");
    const footer = Uint8Array.of(1, 2, 3);
    const file = fileOf(magic, new Uint8Array(2), stream, footer, Uint8Array.of(3, 0, 0, 0), magic);
    expect((await sent(file)).bytes).toEqual(stream);
  });

  it("of Arrow whose writer left out the stream's schema gets it back", async () => {
    const file = fileOf(new Uint8Array(tableToIPC(table, "file")));
    expect((await sent(file)).bytes).toEqual(stream);
  });

  it("is refused here when it is empty or cut off", async () => {
    const whole = new Uint8Array(tableToIPC(table, "file"));
    await expect(sent(fileOf(whole.subarray(0, -3)))).rejects.toThrow("cut off");
    await expect(sent(fileOf(whole.subarray(0, 7)))).rejects.toThrow("cut off");
    await expect(sent(fileOf())).rejects.toThrow("empty");
  });

  it("that is neither JSON nor Arrow is not sent", async () => {
    const vx = new Client("http://node.test", { fetch: () => Promise.reject(new Error("it was sent")) });
    await expect(addVectorFile(vx, fileOf("id,vector\n1,0.5"))).rejects.toThrow("neither JSON nor Arrow");
  });
});
