/**
 * What a user expects of a node, since it has said that it is done: it must be so after whatever becomes of the process. Of
 * what was asked for while something else was asked for of the same file, it is not known which came last.
 */
import type { SharingNode } from "../../src/sharing/sharing-node.ts";
import { nameOf } from "./known-files.ts";
import type { Machine } from "./machine.ts";

export type Wish = "share" | "delete" | "download" | "resume" | "pause" | "cancel";

interface FileState {
  /** What the user waits for now, an object each. */
  open: Set<object>;
  isMixed: boolean;
  /** How often it was asked for that a transfer of it goes on, and how often that was answered. */
  revivalsAsked: number;
  revivalsAnswered: number;
  place: "here" | "gone" | undefined;
  /** Transfers of it that are over or paused, until it is asked for again. */
  ends: Map<string, "completed" | "cancelled" | "paused">;
}

export class Expectations {
  readonly #files = new Map<string, FileState>();

  /**
   * The user asks for something. What is given is to be called once that is done, with the transfer that was meant, or
   * refused.
   */
  begin(fileId: string, wish: Wish): { done: (transferId?: string) => void; refused: () => void } {
    const file = this.#file(fileId);
    const own = {};
    const isRevival = wish === "resume" || wish === "download";
    file.open.add(own);
    if (file.open.size > 1) file.isMixed = true;
    if (isRevival) file.revivalsAsked += 1;
    if (wish === "share" || wish === "delete" || file.place === "gone") file.place = undefined;
    forgetEnds(file);
    /** Is it known what it led to? */
    const end = () => {
      const isKnown = !file.isMixed;
      if (!file.open.delete(own)) return false;
      if (isRevival) file.revivalsAnswered += 1;
      if (file.open.size === 0) file.isMixed = false;
      return isKnown;
    };
    return {
      done: (transferId) => {
        if (!end()) return;
        if (wish === "share") file.place = "here";
        if (wish === "delete") file.place = "gone";
        if (transferId === undefined) return;
        if (wish === "pause") file.ends.set(transferId, "paused");
        if (wish === "cancel") file.ends.set(transferId, "cancelled");
      },
      refused: () => void end(),
    };
  }

  completed(fileId: string, transferId: string): void {
    const file = this.#file(fileId);
    if (file.open.size === 0) file.place = "here";
    file.ends.set(transferId, "completed");
  }

  /** How often a transfer of the file may have gone on again by now. */
  revivalsAsked(fileId: string): number {
    return this.#file(fileId).revivalsAsked;
  }

  /** How often one has, or was not to. */
  revivalsAnswered(fileId: string): number {
    return this.#file(fileId).revivalsAnswered;
  }

  /** The process is no more. What it was at is done or not. */
  interrupted(): void {
    for (const file of this.#files.values()) {
      if (file.open.size > 0) {
        file.place = undefined;
        forgetEnds(file);
      }
      file.open.clear();
      file.isMixed = false;
      file.revivalsAnswered = file.revivalsAsked;
    }
  }

  /** Is the file here by what the user was told? */
  isHere(fileId: string): boolean {
    return this.#files.get(fileId)?.place === "here";
  }

  /** What the node does not know of any more, or knows otherwise. */
  *unmet(node: SharingNode, machine: Machine): Iterable<string> {
    const transfers = new Map(node.transfers().map((transfer) => [transfer.id, transfer]));
    for (const [fileId, { place, ends, open }] of this.#files) {
      const file = node.files().find(({ id }) => id === fileId);
      const name = nameOf(fileId);
      if (place === "here" && file === undefined) yield `${name} was here, and is not known any more`;
      if (place === "here" && file?.complete === false && machine.harmed.size === 0)
        yield `${name} was whole, and is not any more`;
      if (place === "gone" && file !== undefined) yield `${name} was deleted, and is here`;
      if (machine.hasLostRecords || open.size > 0) continue;
      for (const [transferId, end] of ends) {
        const transfer = transfers.get(transferId);
        const isPaused = transfer?.status === "interrupted" && transfer.isPaused;
        if (transfer?.isRepair === true && end !== "completed") continue;
        if (end === "paused" ? !isPaused : transfer?.status !== end)
          yield `transfer ${transferId} of ${name} was ${end}, and is ${transfer?.status}`;
      }
    }
  }

  #file(fileId: string): FileState {
    const known = this.#files.get(fileId);
    if (known !== undefined) return known;
    const file: FileState = {
      open: new Set(),
      isMixed: false,
      revivalsAsked: 0,
      revivalsAnswered: 0,
      place: undefined,
      ends: new Map(),
    };
    this.#files.set(fileId, file);
    return file;
  }
}

/** What is over may go on now; what is complete never does. */
function forgetEnds({ ends }: FileState): void {
  for (const [transferId, end] of ends) if (end !== "completed") ends.delete(transferId);
}
