/** What befalls machines and lines, and is mended after a while. */
import { isRunning } from "../../src/sharing/transfers/transfer-record.ts";
import type { KnownFile } from "./known-files.ts";
import type { Lots } from "./lots.ts";
import type { DiskWork } from "./machine.ts";
import type { SimulatedNode, World } from "./simulated-node.ts";
import type { User } from "./user.ts";

const FAILING: DiskWork[] = ["write", "read", "flush", "delete", "record", "output"];

export class Nature {
  readonly #world: World;
  readonly #lots: Lots;
  readonly #user: User;
  readonly #nodes: readonly SimulatedNode[];
  readonly #files: readonly KnownFile[];
  #isOver = false;

  constructor(world: World, user: User, nodes: readonly SimulatedNode[], files: readonly KnownFile[]) {
    this.#world = world;
    this.#lots = world.lots.fork();
    this.#user = user;
    this.#nodes = nodes;
    this.#files = files;
  }

  act(): void {
    const node = this.#lots.oneOf(this.#lots.chance(0.7) ? this.#busy : this.#nodes);
    if (node === undefined) return;
    const other = this.#lots.oneOf(this.#peersOf(node));
    if (other === undefined) return;
    const deeds = [
      { weight: 2, act: () => this.#kill(node, true) },
      { weight: 2, act: () => this.#kill(this.#lots.oneOf(this.#unflushed) ?? node, false) },
      { weight: 1, act: () => this.#stop(node) },
      { weight: 2, act: () => this.#cut(node, other) },
      { weight: 2, act: () => this.#reset(node, other) },
      { weight: 2, act: () => this.#failOnce(node) },
      { weight: 1, act: () => this.#fill(node) },
      { weight: 1, act: () => this.#harm(node) },
    ];
    this.#lots.weighed(deeds)?.act();
  }

  /** Nothing befalls anybody any more, and all is mended. */
  end(): void {
    this.#isOver = true;
    this.#world.network.mendAll();
    for (const { machine } of this.#nodes) machine.heal();
  }

  /** Nodes that download, or else all. */
  get #busy(): readonly SimulatedNode[] {
    const busy = this.#nodes.filter(({ node }) => node?.transfers().some(({ status }) => isRunning(status)));
    return busy.length > 0 ? busy : this.#nodes;
  }

  /** Where a loss of power takes something away. */
  get #unflushed(): readonly SimulatedNode[] {
    return this.#nodes.filter(({ isUp, machine }) => isUp && machine.blocks.hasUnflushed);
  }

  /** Those that it downloads from, or else all others. */
  #peersOf(at: SimulatedNode): readonly SimulatedNode[] {
    const running = at.node?.transfers().filter(({ status }) => isRunning(status)) ?? [];
    const used = new Set(running.flatMap(({ peers }) => peers.map(({ peerId }) => peerId)));
    const peers = this.#nodes.filter(({ id }) => used.has(id));
    return peers.length > 0 ? peers : this.#nodes.filter((it) => it !== at);
  }

  #kill(node: SimulatedNode, hasPower: boolean): void {
    if (!node.isUp) return;
    node.kill(hasPower);
    this.#user.gone(node);
    this.#startLater(node);
  }

  #stop(node: SimulatedNode): void {
    if (node.node === undefined) return;
    this.#user.gone(node);
    void node.stop().then(() => this.#startLater(node));
  }

  #startLater(node: SimulatedNode): void {
    this.#later(30_000, () => {
      if (!node.isUp) void node.start();
    });
  }

  #cut(a: SimulatedNode, b: SimulatedNode): void {
    this.#world.trace.say("nature", `cuts ${a.id} from ${b.id}`);
    this.#world.network.cut(a.id, b.id);
    this.#later(60_000, () => {
      this.#world.trace.say("nature", `mends ${a.id} to ${b.id}`);
      this.#world.network.mend(a.id, b.id);
    });
  }

  #reset(a: SimulatedNode, b: SimulatedNode): void {
    this.#world.trace.say("nature", `resets ${a.id} to ${b.id}`);
    this.#world.network.reset(a.id, b.id);
  }

  #failOnce({ id, machine }: SimulatedNode): void {
    const work = this.#lots.oneOf(FAILING) ?? "write";
    this.#world.trace.say("nature", `has the next ${work} of ${id} fail`);
    machine.fail(work);
  }

  #fill({ id, machine }: SimulatedNode): void {
    this.#world.trace.say("nature", `fills the disk of ${id}`);
    machine.isFull = true;
    this.#later(20_000, () => {
      this.#world.trace.say("nature", `empties the disk of ${id}`);
      machine.isFull = false;
    });
  }

  /** Once a machine: who gives damaged blocks again and again is banned, as it should be. */
  #harm({ id, machine }: SimulatedNode): void {
    if (machine.harmed.size > 0) return;
    const blocks = this.#files
      .flatMap((file) => file.blocks)
      .filter(({ cid, bytes }) => bytes.length > 0 && machine.blocks.has(cid));
    const block = this.#lots.oneOf(blocks);
    if (block === undefined) return;
    this.#world.trace.say("nature", `harms ${block.cid} of ${id}`);
    void machine.harm(block.cid);
  }

  /** Within the time given, unless all is mended before. */
  #later(mostMs: number, act: () => void): void {
    void this.#world.clock.sleep(this.#lots.between(0, mostMs)).then(() => {
      if (!this.#isOver) act();
    });
  }
}
