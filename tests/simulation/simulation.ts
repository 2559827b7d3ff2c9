/**
 * A few nodes on machines, lines and a clock that a seed decides about, with a user who asks them for this and that while the
 * machines and lines fail. The same seed gives the same trace. Called by the test of some seeds and the benchmark of many.
 */
import { CHUNK_BYTES } from "../../src/sharing/limits.ts";
import { HandClock } from "../unit/hand-clock.ts";
import { MemorySwarm } from "../unit/sharing/memory-swarm.ts";
import { determine } from "./determined.ts";
import { type KnownFile, knownFiles } from "./known-files.ts";
import { Lots } from "./lots.ts";
import { Nature } from "./nature.ts";
import { Network } from "./network.ts";
import { Quiet } from "./quiet.ts";
import { rest } from "./rest.ts";
import { SimulatedNode, type World } from "./simulated-node.ts";
import { errorText, Trace } from "./trace.ts";
import { User } from "./user.ts";

export interface Outcome {
  seed: number;
  /** The first rule that did not hold. */
  breach: string | undefined;
  trace: string[];
  /** Time that passed in the simulation. */
  passedMs: number;
  /** Of that, until all had come that could be had at the end. */
  quietMs: number;
}

const SHOWN_LINES = 150;

/** More than a download has at one peer in a moment. */
const LONG_BYTES = 3 * CHUNK_BYTES;

export async function simulate(seed: number): Promise<Outcome> {
  const clock = new HandClock(1);
  const lots = new Lots(seed);
  const trace = new Trace(clock);
  const startMs = clock.monotonic();
  const restore = determine(lots.fork(), clock);
  let quietMs = 0;
  try {
    quietMs = await run(clock, lots, trace);
  } catch (error) {
    trace.broken("world", error instanceof Error ? (error.stack ?? error.message) : errorText(error));
  } finally {
    restore();
  }
  return { seed, breach: trace.breach, trace: trace.lines, passedMs: clock.monotonic() - startMs, quietMs };
}

/** What to read of one in which a rule was broken. */
export function report({ seed, breach, trace }: Outcome): string {
  const shown = trace.slice(0, trace.findIndex((line) => line.includes("BROKEN: ")) + 1).slice(-SHOWN_LINES);
  return [`seed ${seed}: ${breach}`, ...shown, `again: npm run bench simulation -- 0 ${seed}`].join("\n");
}

async function run(clock: HandClock, lots: Lots, trace: Trace): Promise<number> {
  const ids = Array.from({ length: lots.oneOf([2, 3, 3, 4, 5, 6]) ?? 2 }, (_, at) => `n${at}`);
  const liars = new Set(ids.length > 2 && lots.chance(0.4) ? ids.slice(-1) : []);
  const network = new Network(clock, lots.fork());
  const world: World = { clock, lots, trace, network, swarm: new MemorySwarm(), ids, liars };
  const files = drawn(lots);
  const nodes = ids.map((id) => new SimulatedNode(id, world));
  const user = new User(world, files);
  const nature = new Nature(world, user, nodes, files);
  for (const node of nodes) void node.start();
  await clock.pass(1000);
  for (const file of files) {
    const seed = lots.oneOf(nodes.filter(({ isLiar }) => !isLiar));
    if (seed !== undefined) user.share(seed, file);
    for (const liar of nodes.filter(({ isLiar }) => isLiar)) user.share(liar, file);
  }

  const pauseMs = lots.oneOf([50, 300, 1500]) ?? 300;
  const naturesShare = lots.oneOf([0, 0.2, 0.4, 0.4]) ?? 0;
  for (let left = lots.between(20, 60); left > 0 && trace.breach === undefined; left--) {
    await clock.pass(lots.between(0, 2 * pauseMs));
    if (lots.chance(naturesShare)) nature.act();
    else user.act(nodes);
  }
  nature.end();
  const quietMs = await new Quiet(world, user, nodes, files).run();
  await rest(world, user, nodes);
  return quietMs;
}

/** Some of the files, a long one among them. */
function drawn(lots: Lots): KnownFile[] {
  const files = new Set([lots.oneOf(knownFiles.filter(({ bytes }) => bytes.length > LONG_BYTES))]);
  for (let more = lots.between(0, 2); more > 0; more--) files.add(lots.oneOf(knownFiles));
  return [...files].filter((file) => file !== undefined);
}
