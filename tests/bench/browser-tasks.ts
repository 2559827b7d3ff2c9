/**
 * Tasks of a page's window that take the processor for long, by Chromium's own trace: time by the clock would count what
 * other programs took meanwhile. Used by bench browser-memory.
 */
import type { CDPSession, Page } from "playwright";

/** What the web platform calls a long task. */
const LONG_MS = 50;

/** The trace is read out this often, so that it never fills its buffer. */
const READ_EVERY_MS = 20_000;

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Of a whole task: microseconds of the thread's processor time. */
  tdur?: number;
  args: { name?: string };
}

export class LongTasks {
  readonly #cdp: CDPSession;
  readonly #longMs: number[] = [];
  readonly #timer: ReturnType<typeof setInterval>;
  #reading: Promise<void> = Promise.resolve();

  private constructor(cdp: CDPSession) {
    this.#cdp = cdp;
    this.#timer = setInterval(() => this.#readOut(true), READ_EVERY_MS);
  }

  static async watch(page: Page): Promise<LongTasks> {
    const cdp = await page.context().newCDPSession(page);
    await start(cdp);
    return new LongTasks(cdp);
  }

  /** Milliseconds of each long task. */
  async stop(): Promise<number[]> {
    clearInterval(this.#timer);
    this.#readOut(false);
    await this.#reading;
    await this.#cdp.detach();
    return this.#longMs;
  }

  #readOut(goesOn: boolean): void {
    this.#reading = this.#reading.then(async () => {
      const events = await end(this.#cdp);
      if (goesOn) await start(this.#cdp);
      // Threads of the window; workers have names of their own.
      const windows = new Set(
        events
          .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
          .map(({ pid, tid }) => `${pid}/${tid}`),
      );
      for (const { name, pid, tid, tdur = 0 } of events) {
        const tookMs = tdur / 1000;
        if (/RunTask$/.test(name) && windows.has(`${pid}/${tid}`) && tookMs > LONG_MS)
          this.#longMs.push(tookMs);
      }
    });
  }
}

async function start(cdp: CDPSession): Promise<void> {
  await cdp.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: {
      recordMode: "recordUntilFull",
      includedCategories: ["disabled-by-default-devtools.timeline"],
      excludedCategories: ["*"],
    },
  });
}

async function end(cdp: CDPSession): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: unknown[] }) => void events.push(...(value as TraceEvent[]));
  cdp.on("Tracing.dataCollected", collect);
  const complete = new Promise<void>((resolve) => cdp.once("Tracing.tracingComplete", () => resolve()));
  await cdp.send("Tracing.end");
  await complete;
  cdp.off("Tracing.dataCollected", collect);
  return events;
}
