/**
 * The exchange: asks peers for blocks and answers theirs, over streams that network opens. Made by the two mains;
 * joins sessions (asking) and serving with what they share: rates, traffic, the watchdog. Protocol: README.md.
 */
import type { Stream } from "@libp2p/interface";
import { isSharingError, SharingError } from "../sharing/errors.ts";
import type { BlockSource, Clock, Exchange } from "../sharing/ports.ts";
import type { ExpectedPosts } from "./asking/expected-posts.ts";
import { Sessions } from "./asking/sessions.ts";
import { BULK_SEND_BYTES, MAX_SERVED_PEERS, SMALL_SEND_BYTES } from "./limits.ts";
import type { PostPath } from "./post-path.ts";
import { type ExchangeStreams, isBulk, PROTOCOL } from "./protocol.ts";
import { FairShare } from "./rates/fair-share.ts";
import { Outsiders } from "./rates/outsiders.ts";
import { Pacing } from "./rates/pacing.ts";
import { TokenBucket } from "./rates/token-bucket.ts";
import { Traffic } from "./rates/traffic.ts";
import { AskedPaces } from "./serving/asked-paces.ts";
import { GivenBlocks } from "./serving/given-blocks.ts";
import type { OfferedSides } from "./serving/offered-sides.ts";
import { ReadAhead } from "./serving/read-ahead.ts";
import { whoGivesWay } from "./serving/served-places.ts";
import { Serving } from "./serving/serving.ts";
import type { SidePath } from "./side-path.ts";
import { Watchdog } from "./watchdog.ts";
import { Wire } from "./wire/wire.ts";

/** Most payload a second over all peers; undefined: no limit. */
export interface Rates {
  maxUploadBytesPerSecond?: number | undefined;
  maxDownloadBytesPerSecond?: number | undefined;
}

export interface ExchangeOptions extends Rates {
  streams: ExchangeStreams;
  clock: Clock;
  /** Where peers come with their tickets; undefined where they can't. */
  sides?: OfferedSides | undefined;
  /** How this node opens the side streams of others. */
  sidePath?: SidePath | undefined;
  /** Where peers come with what they post; undefined where they can't. */
  posts?: ExpectedPosts | undefined;
  /** How this node posts answers to others. */
  postPath?: PostPath | undefined;
  /** A side stream that a peer offered could not be had, or broke off, and the stream serves instead. For the log. */
  onSideLost?: ((peerId: string, reason: unknown) => void) | undefined;
  /** An answer that was posted may not have arrived, and the stream may serve instead. For the log. */
  onPostLost?: ((peerId: string, reason: unknown) => void) | undefined;
  /** A peer broke the protocol, asking or asked; its conversation is over. For the log. */
  onViolation?: ((peerId: string, error: SharingError) => void) | undefined;
  /** The BlockSource failed while a peer was served. */
  onSourceError?: ((error: unknown) => void) | undefined;
}

export interface RunningExchange extends Exchange {
  /** Settles when peers can reach us; rejects when the protocol could not be registered. */
  readonly ready: Promise<void>;
  /** Takes effect at once. */
  setRates(rates: Rates): void;
  /** Ends every conversation at once; fetches reject with `stopped`. */
  stop(): void;
}

const NO_LIMIT = Number.POSITIVE_INFINITY;

export function createExchange(options: ExchangeOptions): RunningExchange {
  const { streams, clock, onSourceError } = options;
  const watchdog = new Watchdog(clock);
  const traffic = new Traffic(clock);
  const readAhead = new ReadAhead();
  const given = new GivenBlocks();
  const uploads = new FairShare(new TokenBucket(options.maxUploadBytesPerSecond ?? NO_LIMIT, clock), clock);
  const downloads = new FairShare(
    new TokenBucket(options.maxDownloadBytesPerSecond ?? NO_LIMIT, clock),
    clock,
  );
  const pacing = new Pacing(options.maxDownloadBytesPerSecond ?? NO_LIMIT, clock);
  const askedPaces = new AskedPaces(clock);
  const outsiders = new Outsiders(uploads);
  const served = new Map<string, Serving>();
  let source: BlockSource | undefined;
  let onAskerViolation: ((peerId: string, error: Error) => void) | undefined;
  let isStopped = false;

  const report = (peerId: string, error: SharingError) => {
    if (isSharingError(error, "protocol_error")) options.onViolation?.(peerId, error);
  };

  const sessions = new Sessions({
    streams,
    clock,
    partsFor: (peerId) => ({
      share: downloads,
      pacing,
      traffic: traffic.peer(peerId),
      watchdog,
      sideWay: options.sidePath?.to(peerId),
      onSideLost: (reason: unknown) => options.onSideLost?.(peerId, reason),
      onSilence: () => streams.doubt(peerId),
      posts: options.posts,
      onClosed: (error) => report(peerId, error),
    }),
  });

  /** A peer has one conversation with us: a new stream means that it gave up the old one. */
  function answer(stream: Stream, peerId: string): void {
    served.get(peerId)?.end(new SharingError("peer_lost", "the peer opened a new conversation"));
    const host = streams.originOf(peerId) ?? peerId;
    if (!hasPlaceFor(peerId)) makeRoom(host);
    // Who comes before anything is served comes again, and would be told for the whole conversation that all is missing.
    if (source === undefined || isStopped || !hasPlaceFor(peerId)) {
      stream.abort(new SharingError("stopped", "this node serves no more peers, or none yet"));
      return;
    }
    const askedPace = askedPaces.of(host);
    const serving: Serving = new Serving(
      {
        source,
        clock,
        host,
        share: uploads,
        pacing: askedPace,
        held: readAhead.of(peerId),
        given,
        traffic: traffic.peer(peerId),
        watchdog,
        sendBytes: isBulk(streams.transportOf(peerId)) ? BULK_SEND_BYTES : SMALL_SEND_BYTES,
        sides: options.sides,
        postPath: options.postPath?.leadsTo(peerId) ? options.postPath : undefined,
        onPostLost: (reason) => options.onPostLost?.(peerId, reason),
        onSourceError: (error) => onSourceError?.(error),
        onClosed: (error) => {
          served.delete(peerId);
          report(peerId, error);
          if (isSharingError(error, "protocol_error")) onAskerViolation?.(peerId, error);
        },
      },
      () => wire,
    );
    const wire = new Wire(stream, serving);
    served.set(peerId, serving);
    // What each of many conversations begins with would be read, however much the host has brought.
    askedPace.brought(0, wire);
  }

  /** A peer that has left still has its place while something is read for it: it could come back under ever new ids. */
  function hasPlaceFor(peerId: string): boolean {
    const others = new Set([...served.keys(), ...readAhead.holders()]);
    others.delete(peerId);
    return others.size < MAX_SERVED_PEERS;
  }

  function makeRoom(host: string): void {
    whoGivesWay(served.values(), host)?.end(new SharingError("peer_lost", "the place went to another peer"));
  }

  return {
    ready: Promise.resolve(streams.handle(PROTOCOL, answer)),
    serve(blocks, onViolation) {
      source = blocks;
      onAskerViolation = onViolation;
    },
    openSession: (peerId, signal) => sessions.open(peerId, signal),
    setRates(rates) {
      uploads.setRate(rates.maxUploadBytesPerSecond ?? NO_LIMIT);
      downloads.setRate(rates.maxDownloadBytesPerSecond ?? NO_LIMIT);
      pacing.setRate(rates.maxDownloadBytesPerSecond ?? NO_LIMIT);
    },
    traffic: () => traffic.totals(),
    trafficOf: (peerId) => traffic.of(peerId),
    mayUpload: (reader, sizeBytes, signal) => outsiders.wait(reader, sizeBytes, signal),
    stop() {
      isStopped = true;
      sessions.stop();
      for (const serving of [...served.values()])
        serving.end(new SharingError("stopped", "the exchange is stopped"));
      uploads.stop();
      downloads.stop();
      pacing.stop();
      askedPaces.stop();
      watchdog.stop();
    },
  };
}
