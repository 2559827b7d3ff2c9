/** The lines between nodes: how fast they are, and how they break. */
import type { Stream } from "@libp2p/interface";
import type { ExchangeStreams } from "../../src/exchange/protocol.ts";
import type { Clock, Transport } from "../../src/sharing/ports.ts";
import { type LineEnd, lineOf } from "../unit/exchange/line.ts";
import type { Life } from "./life.ts";
import type { Lots } from "./lots.ts";
import { Tally } from "./tally.ts";

const KIB = 1024;

/** How long it takes until an end notices that the other is gone without a word: a ping's time. */
const NOTICED_MS = 20_000;

/** How long somebody is dialled who does not answer. */
const DIAL_MS = 6_000;

interface Way {
  delayMs: number;
  /** There and back. */
  bytesPerSecond: [number, number];
  isCut: boolean;
}

interface Line {
  asker: string;
  server: string;
  near: LineEnd;
  far: LineEnd;
}

interface Host {
  life: Life;
  transport: Transport;
  answer: ((stream: Stream, peerId: string) => void) | undefined;
  /** When each ban ends. */
  bans: Map<string, number>;
}

export class Network {
  readonly tally = new Tally();
  readonly #clock: Clock;
  readonly #lots: Lots;
  readonly #hosts = new Map<string, Host>();
  readonly #ways = new Map<string, Way>();
  readonly #lines = new Set<Line>();

  constructor(clock: Clock, lots: Lots) {
    this.#clock = clock;
    this.#lots = lots;
  }

  /** Of which an end is open. */
  get lineCount(): number {
    return this.#lines.size;
  }

  /** A process comes, in place of an earlier one of that name. */
  join(id: string, life: Life, transport: Transport): ExchangeStreams {
    const host: Host = { life, transport, answer: undefined, bans: new Map() };
    this.#hosts.set(id, host);
    return {
      openStream: (peerId, _, signal) => life.while(this.#open(id, host, peerId, signal)),
      handle: (_, handler) => {
        host.answer = handler;
      },
      doubt: () => {},
      originOf: (peerId) => peerId,
      transportOf: (peerId) => {
        const both = [transport, this.#hosts.get(peerId)?.transport];
        return both.find((either) => either !== "tcp") ?? "tcp";
      },
    };
  }

  /** The process ends in order: its machine tells the others. */
  leave(id: string): void {
    this.#hosts.delete(id);
    for (const line of this.#linesOf(id)) this.#breakOff(line);
  }

  /** The process is killed: its machine tells the others, or, without power, does not. */
  kill(id: string, tells: boolean): void {
    this.#hosts.delete(id);
    for (const line of this.#linesOf(id)) {
      const [dead, other] = line.asker === id ? [line.near, line.far] : [line.far, line.near];
      this.tally.lost(line.asker, line.server);
      dead.drop();
      other.silence();
      const { delayMs } = this.#way(line.asker, line.server);
      void this.#clock.sleep(tells ? delayMs : NOTICED_MS).then(() => {
        other.end();
        this.#lines.delete(line);
      });
    }
  }

  /** Nobody gets through from one to the other, and nobody is told, until it is mended. */
  cut(a: string, b: string): void {
    this.#way(a, b).isCut = true;
    for (const line of this.#linesOf(a).filter((it) => it.asker === b || it.server === b)) {
      this.tally.lost(line.asker, line.server);
      for (const end of [line.near, line.far]) {
        end.silence();
        void this.#clock.sleep(NOTICED_MS).then(() => end.end());
      }
    }
  }

  mend(a: string, b: string): void {
    this.#way(a, b).isCut = false;
  }

  mendAll(): void {
    for (const way of this.#ways.values()) way.isCut = false;
  }

  /** All that is open between the two ends, for both at once. */
  reset(a: string, b: string): void {
    for (const line of this.#linesOf(a).filter((it) => it.asker === b || it.server === b))
      this.#breakOff(line);
  }

  ban(id: string, peerId: string, forMs: number): void {
    this.#hosts.get(id)?.bans.set(peerId, this.#clock.monotonic() + forMs);
    this.reset(id, peerId);
  }

  async #open(id: string, host: Host, peerId: string, signal: AbortSignal): Promise<Stream> {
    const way = this.#way(id, peerId);
    await this.#clock.sleep(way.isCut ? DIAL_MS : 2 * way.delayMs, signal);
    const peer = this.#hosts.get(peerId);
    const isBanned = this.#isBanned(host, peerId) || (peer !== undefined && this.#isBanned(peer, id));
    if (host.life.isOver || way.isCut || isBanned || peer?.answer === undefined) {
      throw new Error(`${id} does not get through to ${peerId}`);
    }
    const [there, back] = id < peerId ? way.bytesPerSecond : way.bytesPerSecond.toReversed();
    const { near, far } = lineOf(this.#clock, {
      nearBytesPerSecond: there,
      farBytesPerSecond: back,
      delayMs: way.delayMs,
    });
    const line: Line = { asker: id, server: peerId, near, far };
    this.#lines.add(line);
    this.tally.watch(id, peerId, near, far);
    const ended = () => {
      if (near.status !== "open" && far.status !== "open") this.#lines.delete(line);
    };
    for (const end of [near, far]) end.addEventListener("close", ended);
    peer.answer(far.asStream, id);
    return near.asStream;
  }

  #isBanned({ bans }: Host, peerId: string): boolean {
    return (bans.get(peerId) ?? 0) > this.#clock.monotonic();
  }

  #breakOff({ asker, server, near, far }: Line): void {
    this.tally.lost(asker, server);
    for (const end of [near, far]) {
      end.silence();
      end.end();
    }
  }

  #linesOf(id: string): Line[] {
    return [...this.#lines].filter(({ asker, server }) => asker === id || server === id);
  }

  #way(a: string, b: string): Way {
    const name = a < b ? `${a}-${b}` : `${b}-${a}`;
    const known = this.#ways.get(name);
    if (known !== undefined) return known;
    const rate = () => KIB * (this.#lots.oneOf([32, 128, 512, 4096]) ?? 1024);
    const way: Way = {
      delayMs: this.#lots.oneOf([1, 20, 150]) ?? 1,
      bytesPerSecond: [rate(), rate()],
      isCut: false,
    };
    this.#ways.set(name, way);
    return way;
  }
}
