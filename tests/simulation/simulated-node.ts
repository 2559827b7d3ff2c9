/** A node of a simulation: the sharing node and the exchange as they are, on a machine, a network and a clock that are not. */
import { createExchange, type RunningExchange } from "../../src/exchange/exchange.ts";
import { createSharingNode } from "../../src/sharing/node.ts";
import type { Announcement, Exchange, Log, Swarm, SwarmEvent, Transport } from "../../src/sharing/ports.ts";
import type { SharingNode } from "../../src/sharing/sharing-node.ts";
import type { HandClock } from "../unit/hand-clock.ts";
import type { MemorySwarm } from "../unit/sharing/memory-swarm.ts";
import type { CountedBuffers } from "./counted-buffers.ts";
import { DiskBlocks } from "./disk-blocks.ts";
import { diskFiles } from "./disk-files.ts";
import { DiskRecords } from "./disk-records.ts";
import { Expectations } from "./expectations.ts";
import { lying } from "./liar.ts";
import { Life } from "./life.ts";
import type { Lots } from "./lots.ts";
import { Machine } from "./machine.ts";
import type { Network } from "./network.ts";
import { watchStates } from "./states.ts";
import { errorText, type Trace } from "./trace.ts";

export interface World {
  clock: HandClock;
  lots: Lots;
  trace: Trace;
  network: Network;
  swarm: MemorySwarm;
  /** Names of all nodes. */
  ids: string[];
  /** Those that lie to others. */
  liars: ReadonlySet<string>;
}

/** A process that runs on the node's machine. */
interface Run {
  life: Life;
  exchange: RunningExchange;
  buffers: CountedBuffers;
  openOutputs: string[];
  /** Undefined while it starts, and again once it stops. */
  node: SharingNode | undefined;
}

export class SimulatedNode {
  readonly id: string;
  readonly isLiar: boolean;
  readonly machine: Machine;
  readonly expectations = new Expectations();
  readonly #world: World;
  readonly #lots: Lots;
  readonly #transport: Transport;
  readonly #maxUploadBytesPerSecond: number | undefined;
  #run: Run | undefined;

  constructor(id: string, world: World) {
    this.id = id;
    this.isLiar = world.liars.has(id);
    this.#world = world;
    this.#lots = world.lots.fork();
    this.machine = new Machine(world.clock, this.#lots.fork());
    this.#transport = this.#lots.oneOf(["tcp", "tcp", "websocket", "webrtc"] as const) ?? "tcp";
    this.#maxUploadBytesPerSecond = this.#lots.oneOf([undefined, undefined, undefined, 2 ** 20]);
  }

  /** Undefined while it does not run. */
  get node(): SharingNode | undefined {
    return this.#run?.node;
  }

  /** A process is there, though it may not have started yet. */
  get isUp(): boolean {
    return this.#run !== undefined;
  }

  async start(): Promise<void> {
    const { clock, trace, swarm } = this.#world;
    const life = new Life();
    const own = life.clock(clock);
    const blocks = new DiskBlocks(this.machine, life, own);
    const openOutputs: string[] = [];
    const exchange = this.#exchange(life);
    const run: Run = { life, exchange, buffers: blocks.buffers, openOutputs, node: undefined };
    this.#run = run;
    try {
      const node = await createSharingNode(
        {
          blocks,
          records: new DiskRecords(this.machine, life),
          swarm: this.#swarm(swarm),
          exchange: this.#served(exchange),
          files: diskFiles(this.machine, life, openOutputs),
          clock: own,
          system: { cpuUsage: () => 0, memoryBytes: () => 0, diskBytes: async () => 0 },
          log: this.#log(life),
        },
        { autoResume: this.#lots.chance(0.7) },
      );
      run.node = node;
      trace.say(this.id, "runs");
      watchStates(this.id, node, this.expectations, trace, life);
      for (const broken of this.expectations.unmet(node, this.machine)) trace.broken(this.id, broken);
    } catch (error) {
      trace.say(this.id, `does not start: ${errorText(error)}`);
      this.#left(run);
    }
  }

  /** As the user stops it. */
  async stop(): Promise<void> {
    const run = this.#run;
    const node = run?.node;
    if (run === undefined || node === undefined) return;
    run.node = undefined;
    this.expectations.interrupted();
    await node.stop();
    if (run.life.isOver) return;
    for (const path of run.openOutputs) this.#world.trace.broken(this.id, `left an output open: ${path}`);
    this.#left(run);
    this.#world.trace.say(this.id, "has stopped");
  }

  /** As the system does, or a loss of power. */
  kill(hasPower: boolean): void {
    const run = this.#run;
    if (run === undefined) return;
    const { network, swarm, trace } = this.#world;
    trace.say(this.id, hasPower ? "is killed" : "loses power");
    run.life.kill();
    this.expectations.interrupted();
    this.#count(run);
    network.kill(this.id, hasPower);
    swarm.leave(this.id);
    if (!hasPower) this.machine.blocks.losePower();
    this.#run = undefined;
  }

  /** What it holds that it should not, while nothing goes on. */
  leftovers(): string[] {
    const { buffers, openOutputs } = this.#run ?? { buffers: { outCount: 0 }, openOutputs: [] };
    const outs = openOutputs.map((path) => `the output ${path}`);
    return buffers.outCount === 0 ? outs : [`${buffers.outCount} buffers`, ...outs];
  }

  /** The process ended by itself. */
  #left(run: Run): void {
    run.exchange.stop();
    run.life.kill();
    this.#count(run);
    this.#world.network.leave(this.id);
    this.#world.swarm.leave(this.id);
    this.#run = undefined;
  }

  #count({ exchange }: Run): void {
    const { ids, network } = this.#world;
    for (const peerId of ids) network.tally.add(this.id, peerId, exchange.trafficOf(peerId));
  }

  #exchange(life: Life): RunningExchange {
    const { network, clock, trace } = this.#world;
    return createExchange({
      streams: network.join(this.id, life, this.#transport),
      clock: life.clock(clock),
      maxUploadBytesPerSecond: this.#maxUploadBytesPerSecond,
      onViolation: (peerId, error) => trace.say(this.id, `${peerId} broke the protocol: ${error.message}`),
      onSourceError: (error) => trace.say(this.id, `could not serve: ${errorText(error)}`),
    });
  }

  #served(exchange: RunningExchange): Exchange {
    if (!this.isLiar) return exchange;
    return {
      ...exchange,
      serve: (source, onViolation) => exchange.serve(lying(source, this.#lots.fork()), onViolation),
    };
  }

  #swarm(swarm: MemorySwarm): Swarm {
    const { liars, network, trace } = this.#world;
    const member = {
      announced: new Map<string, Announcement>(),
      unlisted: new Map<string, Announcement>(),
      manners: {},
      listeners: new Set<(event: SwarmEvent) => void>(),
    };
    swarm.join(this.id, member);
    return swarm.of(this.id, member, (peerId, forMs) => {
      trace.say(this.id, `bans ${peerId}`);
      if (!this.isLiar && !liars.has(peerId)) trace.broken(this.id, `banned ${peerId}, which is honest`);
      network.ban(this.id, peerId, forMs);
    });
  }

  #log(life: Life): Log {
    const say = (message: string, details: object = {}) => {
      if (life.isOver) return;
      const said = Object.entries(details).map(
        ([name, it]) => `${name}=${it instanceof Error ? errorText(it) : it}`,
      );
      this.#world.trace.say(this.id, `log: ${message} ${said.join(" ")}`);
    };
    return { debug: () => {}, info: say, warn: say };
  }
}
