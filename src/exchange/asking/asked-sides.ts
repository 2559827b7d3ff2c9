/**
 * The side streams of one conversation, one after another: when one is asked for, and when it is left. Kept by asking; makes
 * each as an asked-side. Protocol: README.md.
 */
import { SharingError } from "../../sharing/errors.ts";
import type { FairShare } from "../rates/fair-share.ts";
import type { SideWay } from "../side-path.ts";
import { AskedSide, type AskedSideParts } from "./asked-side.ts";

export interface AskedSidesParts extends Omit<AskedSideParts, "way"> {
  /** Undefined where there is none. */
  way: SideWay | undefined;
  share: FairShare;
}

export class AskedSides {
  readonly #parts: AskedSidesParts;
  #side: AskedSide | undefined;

  constructor(parts: AskedSidesParts) {
    this.#parts = parts;
  }

  /** Requests that are sent now are answered on one. */
  get isOpen(): boolean {
    return this.#side?.isOpen ?? false;
  }

  /** Once for a conversation that is worth it, as one of so many bytes is, and again when one ended that was of use. */
  ask(bytes: number): void {
    const { way, share, ...parts } = this.#parts;
    if (share.isLimited || way === undefined || bytes < way.worthBytes) return;
    if (this.#side !== undefined && !this.#side.mayFollow) return;
    this.#side = new AskedSide({ ...parts, way });
  }

  /** On the stream alone a peer is held back; what is held to a rate is not held up by a cipher. */
  leaveUnderLimit(): void {
    if (!this.#parts.share.isLimited || !this.#side?.isOpen) return;
    this.#side.end(new SharingError("stopped", "the rate has a limit"));
  }

  /** @throws SharingError `protocol_error` for a ticket that was not asked for */
  onTicket(ticket: Uint8Array): void {
    if (this.#side === undefined) throw new SharingError("protocol_error", "a ticket that nobody asked for");
    this.#side.onTicket(ticket);
  }

  onTick(awakeMs: number): void {
    this.#side?.onTick(awakeMs);
  }

  giveUp(reason: unknown): void {
    this.#side?.giveUp(reason);
  }

  /** The conversation is over. */
  close(): void {
    this.#side?.close();
  }
}
