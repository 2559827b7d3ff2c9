/** What is carried of a request, and in which engines its body is a stream: src/bridge/carried-request. */
import { expect, it, vi } from "vitest";
import { carriedFrom, requestOf, takesStreams } from "../../../src/bridge/carried-request.ts";

/** An engine's Request, as far as it shows what it makes of a stream. */
interface Engine {
  asksForDuplex: boolean;
  /** The stream was turned into text. */
  tellsType: boolean;
  hasBody: boolean;
}

const WHOLE: Engine = { asksForDuplex: true, tellsType: false, hasBody: true };

function runIn({ asksForDuplex, tellsType, hasBody }: Engine): void {
  class EngineRequest {
    readonly headers = new Headers(tellsType ? { "content-type": "text/plain" } : {});
    constructor(_url: string, init: { duplex: string }) {
      if (asksForDuplex) expect(init.duplex).toBe("half");
      if (hasBody) Object.assign(this, { body: null });
    }
  }
  vi.stubGlobal("Request", EngineRequest);
}

it("takes streams where the engine does, and shows it in all of the ways", () => {
  expect(takesStreams()).toBe(true);
  runIn(WHOLE);
  expect(takesStreams()).toBe(true);
});

it.each<Partial<Engine>>([{ asksForDuplex: false }, { tellsType: true }, { hasBody: false }])(
  "takes none where one of them is not as it would be: %o",
  (lack) => {
    runIn({ ...WHOLE, ...lack });
    expect(takesStreams()).toBe(false);
  },
);

it("carries the Blob that a body was made from, and no fragment, which no server sees", async () => {
  const body = new Blob(["a file"]);
  const carried = await carriedFrom(new Request("http://a.test/b?c#d#e", { method: "PUT", body }), body);
  expect(carried.url).toBe("http://a.test/b?c");
  expect(carried.body).toBe(body);
});

it("carries a request of somebody who followed a link with a name and a password, as a worker gets it, without them", async () => {
  const navigation = new Request("http://a.test/b");
  Object.defineProperty(navigation, "url", { value: "http://name:password@a.test/b" });
  const carried = await carriedFrom(navigation);
  expect(carried.url).toBe("http://a.test/b");
  expect(requestOf(carried).url).toBe("http://a.test/b");
});

it("carries a body as a Blob where the engine takes no streams, and none that is empty; it is read as a stream at the other end", async () => {
  const { signal } = new AbortController();
  const post = (text: string) =>
    ({
      method: "POST",
      url: "http://a.test/",
      headers: new Headers(),
      signal,
      blob: async () => new Blob([text]),
    }) as Request;
  runIn({ ...WHOLE, hasBody: false });
  expect((await carriedFrom(post(""))).body).toBe(null);
  const carried = await carriedFrom(post("b"));
  expect(carried.body).toBeInstanceOf(Blob);
  const { body } = requestOf(carried);
  expect(body).toBeInstanceOf(ReadableStream);
  expect(await new Response(body).text()).toBe("b");
});
