/**
 * A network in memory: nodes joined by a hub that stands in for swarm and exchange, so that the transfer engine
 * is tested without sockets. What a peer does wrong is set by its `Manners`.
 */
import { randomBytes } from "node:crypto";
import type { CID } from "multiformats/cid";
import { onTestFinished } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import { createSharingNode } from "../../../src/sharing/node.ts";
import type {
  Announcement,
  BlockSource,
  Clock,
  ConnectedPeer,
  Exchange,
  Files,
  HaveUpdate,
  Log,
  PeerSession,
} from "../../../src/sharing/ports.ts";
import type { SharingNode } from "../../../src/sharing/sharing-node.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";
import { untilAborted } from "../../until-aborted.ts";
import { type MemoryFilesOptions, memoryFiles } from "./memory-files.ts";
import { MemorySwarm, type SwarmManners, type SwarmMember } from "./memory-swarm.ts";

/** How a peer treats those who ask it. */
export interface Manners extends SwarmManners {
  /** Called before each block is given; may wait, throw, or give other bytes. */
  answer?: (cid: CID, bytes: Uint8Array, signal: AbortSignal) => Promise<Uint8Array> | Uint8Array;
  /** What it tells of its haves. */
  haves?: (haves: AsyncIterable<HaveUpdate>) => AsyncIterable<HaveUpdate>;
  maxInFlight?: number;
  /** It hears how urgent a block is that it was asked for. */
  prioritized?: PeerSession["prioritize"];
  /** Nobody gets through to it. */
  isUnreachable?: boolean;
  /** Whoever dials it waits until this settles. */
  reached?: Promise<void>;
  /** Called before it gives so many bytes to others than peers. */
  mayUpload?: (reader: string, sizeBytes: number) => Promise<void>;
  /** Until this settles, other files are watched at it, as many as may be. */
  watchable?: Promise<void>;
}

export interface HubNode {
  id: string;
  node: SharingNode;
  blocks: MemoryBlockStore;
  records: MemoryRecords;
  outputs: Map<string, Uint8Array>;
  /** Outputs that are neither committed nor discarded, by path. */
  openOutputs: string[];
  /** Chunks and nodes given to others. */
  served: string[];
  /** Peers that it has sessions with. */
  sessions: string[];
  /** What it tells the swarm of, by file id. */
  announced: ReadonlyMap<string, Announcement>;
  manners: Manners;
  banned: Set<string>;
  leave(): void;
}

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {} };

interface Member extends SwarmMember {
  source: BlockSource | undefined;
  manners: Manners;
  served: string[];
  sessions: string[];
  /** Aborts when the peer leaves, and with it all sessions to it. */
  presence: AbortController;
}

export class Hub {
  readonly clock: Clock;
  readonly #members = new Map<string, Member>();
  readonly #swarm = new MemorySwarm();
  readonly #atEnd: (stop: () => void) => void;

  /** `atEnd` has what it is given called once nobody needs a node any more. */
  constructor(clock: Clock = systemClock, atEnd: (stop: () => void) => void = onTestFinished) {
    this.clock = clock;
    this.#atEnd = atEnd;
  }

  async join(
    id: string,
    options: {
      manners?: Manners;
      records?: MemoryRecords;
      blocks?: MemoryBlockStore;
      autoResume?: boolean;
      outputs?: Map<string, Uint8Array>;
      log?: Log;
      /** In place of files in memory. */
      files?: Files;
      /** Whom the swarm has met before the node was made. */
      met?: ConnectedPeer[];
    } & MemoryFilesOptions = {},
  ): Promise<HubNode> {
    const manners = options.manners ?? {};
    const member: Member = {
      announced: new Map(),
      unlisted: new Map(),
      source: undefined,
      manners,
      served: [],
      sessions: [],
      listeners: new Set(),
      presence: new AbortController(),
    };
    this.#members.set(id, member);
    this.#swarm.join(id, member);
    const blocks = options.blocks ?? new MemoryBlockStore();
    const records = options.records ?? new MemoryRecords();
    const outputs = options.outputs ?? new Map<string, Uint8Array>();
    const openOutputs: string[] = [];
    const banned = new Set<string>();
    const node = await createSharingNode(
      {
        blocks,
        records,
        swarm: {
          ...this.#swarm.of(id, member, (peerId) => void banned.add(peerId)),
          peers: () => options.met ?? [],
        },
        exchange: this.#exchangeOf(member),
        files: options.files ?? memoryFiles(outputs, openOutputs, options),
        clock: this.clock,
        system: { cpuUsage: () => 0, memoryBytes: () => 0, diskBytes: async () => 0 },
        log: options.log ?? silent,
      },
      { autoResume: options.autoResume ?? false },
    );
    // It would go on, with its timers, within the tests after this one. What a test never lets go of is not waited for.
    if (this.clock === systemClock) this.#atEnd(() => void node.stop());
    const leave = () => {
      this.#members.delete(id);
      member.presence.abort(new SharingError("peer_lost", `${id} left`));
      this.#swarm.leave(id);
    };
    const { announced, served, sessions } = member;
    return {
      ...{
        id,
        node,
        blocks,
        records,
        outputs,
        openOutputs,
        served,
        sessions,
        announced,
        manners,
        banned,
        leave,
      },
    };
  }

  /** What peers announce, or how they treat others, is not as before. */
  notify(): void {
    this.#swarm.notify();
  }

  #exchangeOf(own: Member): Exchange {
    const hub = this;
    const none = { uploadedBytes: 0, downloadedBytes: 0, uploadBytesPerSecond: 0, downloadBytesPerSecond: 0 };
    return {
      serve: (source) => {
        own.source = source;
      },
      traffic: () => none,
      trafficOf: () => none,
      mayUpload: async (reader, sizeBytes) => own.manners.mayUpload?.(reader, sizeBytes),
      async openSession(peerId, signal) {
        const peer = hub.#members.get(peerId);
        if (peer?.manners.reached) await Promise.race([peer.manners.reached, untilAborted(signal)]);
        if (!peer || peer.manners.isUnreachable) {
          throw new SharingError("peer_unreachable", `${peerId} is not there`);
        }
        const closed = new AbortController();
        own.sessions.push(peerId);
        closed.signal.addEventListener("abort", () => own.sessions.splice(own.sessions.indexOf(peerId), 1));
        const gone = peer.presence.signal;
        return {
          peerId,
          maxInFlight: peer.manners.maxInFlight ?? 16,
          // What is being fetched is let be: others may hold the same conversation.
          close: () => closed.abort(new SharingError("stopped", "session closed")),
          async fetch({ cid, onBytes, signal }) {
            const either = AbortSignal.any([signal, gone]);
            either.throwIfAborted();
            const bytes = await peer.source?.readBlock(cid, signal);
            if (!bytes) throw new SharingError("block_not_found", `${peerId} has no ${cid}`);
            either.throwIfAborted();
            peer.served.push(cid.toString());
            const answer = (await peer.manners.answer?.(cid, bytes, either)) ?? bytes;
            either.throwIfAborted();
            onBytes?.(answer);
            return answer.slice();
          },
          prioritize: (cid, priority) => peer.manners.prioritized?.(cid, priority),
          async *haves(fileId, chunkCount, signal) {
            const { source, manners } = peer;
            if (manners.watchable) yield { kind: "waiting" };
            await manners.watchable;
            if (source === undefined) return;
            const haves = source.haves(fileId, chunkCount, AbortSignal.any([signal, gone, closed.signal]));
            yield* manners.haves?.(haves) ?? haves;
          },
        };
      },
    };
  }
}

/** A promise that the test settles. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export function randomFile(sizeBytes: number): Uint8Array {
  return new Uint8Array(randomBytes(sizeBytes));
}

export async function* bytesOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

export async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Settles when the transfer publishes the event. */
export function ended(node: SharingNode, transferId: string, ...events: string[]): Promise<string> {
  const wanted = events.length > 0 ? events : ["transfer_complete", "transfer_failed", "transfer_cancelled"];
  const matches = (event: { event: string; data: object }) =>
    wanted.includes(event.event) && (event.data as { transfer_id?: string }).transfer_id === transferId;
  return new Promise((resolve) => {
    const past = node.events.since(0).find(matches);
    if (past) return resolve(past.event);
    const stop = node.events.subscribe((event) => {
      if (!matches(event)) return;
      stop();
      resolve(event.event);
    });
  });
}
