/** How many long bodies are held at a time: src/api/vx/long-bodies. */
import { describe, expect, it } from "vitest";
import { SHORT_BODY_BYTES } from "../../../src/api/vx/limits.ts";
import { LongBodies } from "../../../src/api/vx/long-bodies.ts";

function requestOf(bytes: number | undefined, signal?: AbortSignal): Request {
  const headers: Record<string, string> = bytes === undefined ? {} : { "content-length": String(bytes) };
  return new Request("http://127.0.0.1/", { headers, ...(signal && { signal }) });
}

/** A task that ends when told to, and whether it has begun. */
class Task {
  begun = false;
  end = () => {};
  readonly #ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });

  readonly run = (): Promise<void> => {
    this.begun = true;
    return this.#ended;
  };
}

const long = () => requestOf(SHORT_BODY_BYTES + 1);
/** Lets everything run that can. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("long bodies", () => {
  it("are held so many at once; the others wait in their order, and short ones for none", async () => {
    const bodies = new LongBodies(2);
    const tasks = Array.from({ length: 4 }, () => new Task());
    const runs = tasks.map(({ run }, at) => bodies.run(at === 1 ? requestOf(undefined) : long(), run));
    await settled();
    expect(tasks.map(({ begun }) => begun)).toEqual([true, true, false, false]);
    const short = new Task();
    const shortRun = bodies.run(requestOf(SHORT_BODY_BYTES), short.run);
    expect(short.begun).toBe(true);
    tasks[1]?.end();
    await settled();
    expect(tasks.map(({ begun }) => begun)).toEqual([true, true, true, false]);
    for (const { end } of [...tasks, short]) end();
    await settled();
    expect(tasks[3]?.begun).toBe(true);
    await Promise.all([...runs, shortRun]);
  });

  it("keep the place of who waits when one before it gives up while it runs", async () => {
    const bodies = new LongBodies(1);
    const [first, second, last] = [new Task(), new Task(), new Task()];
    const gone = new AbortController();
    const runs = [
      bodies.run(long(), first.run),
      bodies.run(requestOf(undefined, gone.signal), second.run),
      bodies.run(long(), last.run),
    ];
    first.end();
    await settled();
    gone.abort();
    second.end();
    await settled();
    expect([second.begun, last.begun]).toEqual([true, true]);
    last.end();
    await Promise.all(runs);
  });

  it("make room when they fail, and when who waits gives up", async () => {
    const bodies = new LongBodies(1);
    const first = new Task();
    const running = bodies.run(long(), async () => {
      await first.run();
      throw new Error("broken");
    });
    const gone = new AbortController();
    const waiting = new Task();
    const given = bodies.run(requestOf(undefined, gone.signal), waiting.run);
    const last = new Task();
    const lastRun = bodies.run(long(), last.run);
    gone.abort(new Error("the client is gone"));
    await expect(given).rejects.toThrow("gone");
    first.end();
    await expect(running).rejects.toThrow("broken");
    await settled();
    expect([waiting.begun, last.begun]).toEqual([false, true]);
    last.end();
    await lastRun;
    await expect(bodies.run(requestOf(undefined, gone.signal), waiting.run)).rejects.toThrow("gone");
  });
});
