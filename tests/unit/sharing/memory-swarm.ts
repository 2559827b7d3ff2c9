/** Who is there and who offers what, in memory: every node hears at once what the others announce. */
import { SharingError } from "../../../src/sharing/errors.ts";
import type { Announcement, Offer, Swarm, SwarmEvent } from "../../../src/sharing/ports.ts";

export interface SwarmManners {
  /** Nobody hears what it announces. */
  isSilent?: boolean;
  /** Nobody has met it. */
  isToldOf?: boolean;
  /** It is found by the id of a file alone, as by the DHT. */
  isNameless?: boolean;
  /** Until this settles it does not answer whether it holds a file unlisted. */
  said?: Promise<void>;
}

export interface SwarmMember {
  announced: Map<string, Announcement>;
  /** What it tells of to whoever asks for it alone, by file id. */
  unlisted: Map<string, Announcement>;
  manners: SwarmManners;
  /** Those that its swarm tells of what happens. */
  listeners: Set<(event: SwarmEvent) => void>;
}

export class MemorySwarm {
  readonly #members = new Map<string, SwarmMember>();
  readonly #changed = new Set<() => void>();

  join(id: string, member: SwarmMember): void {
    this.#members.set(id, member);
  }

  leave(id: string): void {
    this.#members.delete(id);
    this.notify();
  }

  /** What members announce, or how they treat others, is not as before. */
  notify(): void {
    for (const listener of [...this.#changed]) listener();
  }

  /** As the member sees it. */
  of(nodeId: string, member: SwarmMember, ban: Swarm["ban"]): Swarm {
    return {
      nodeId,
      name: "test",
      addresses: () => [],
      peers: () => [],
      offers: () =>
        [...new Set([...this.#members.values()].flatMap((other) => [...other.announced.keys()]))].flatMap(
          (id) => this.#offer(nodeId, id) ?? [],
        ),
      offer: (fileId) => this.#offer(nodeId, fileId),
      announce: (file) => {
        member.unlisted.delete(file.fileId);
        member.announced.set(file.fileId, file);
        this.notify();
      },
      holdUnlisted: (file) => {
        member.announced.delete(file.fileId);
        member.unlisted.set(file.fileId, file);
        this.notify();
      },
      askUnlisted: async (peerId, fileId) => {
        await this.#members.get(peerId)?.manners.said;
        const file = this.#members.get(peerId)?.unlisted.get(fileId);
        return file === undefined ? "none" : file.complete ? "all" : "some";
      },
      unlistedHolders: async (fileId) =>
        [...this.#members.keys()].filter((id) => this.#members.get(id)?.unlisted.has(fileId)),
      withdraw: (fileId) => {
        member.announced.delete(fileId);
        member.unlisted.delete(fileId);
      },
      describe: () => undefined,
      rename: () => undefined,
      takeInvitations: () => undefined,
      invite: async (peerId, file) => {
        const invited = this.#members.get(peerId);
        if (invited === undefined) throw new SharingError("peer_unreachable", `${peerId} is not there`);
        for (const hear of invited.listeners) hear({ type: "invited", peerId: nodeId, file });
      },
      isMet: (peerId) => this.#members.get(peerId)?.manners.isToldOf !== true,
      providers: (fileId, signal) => this.#providers(nodeId, fileId, signal),
      connect: async () => {
        throw new SharingError("peer_unreachable", "no sockets here");
      },
      ban,
      subscribe: (listener: (event: SwarmEvent) => void) => {
        const onChange = () => listener({ type: "offers_changed" });
        this.#changed.add(onChange);
        member.listeners.add(listener);
        return () => {
          this.#changed.delete(onChange);
          member.listeners.delete(listener);
        };
      },
    };
  }

  #holders(fileId: string, as: "offers" | "providers"): string[] {
    return [...this.#members]
      .filter(([, { announced, unlisted, manners }]) => {
        const isHeld = announced.has(fileId) || (as === "providers" && unlisted.has(fileId));
        return isHeld && !manners.isSilent;
      })
      .filter(([, { manners }]) => as === "providers" || !manners.isNameless)
      .map(([id]) => id);
  }

  #offer(nodeId: string, fileId: string): Offer | undefined {
    const holders = this.#holders(fileId, "offers").filter((id) => id !== nodeId);
    const [first] = holders;
    const file = first === undefined ? undefined : this.#members.get(first)?.announced.get(fileId);
    const isComplete = (id: string) => this.#members.get(id)?.announced.get(fileId)?.complete === true;
    return (
      file && {
        ...file,
        completeHolders: holders.filter(isComplete),
        partialHolders: holders.filter((id) => !isComplete(id)),
      }
    );
  }

  async *#providers(nodeId: string, fileId: string, signal: AbortSignal): AsyncIterable<string> {
    const seen = new Set<string>();
    while (!signal.aborted) {
      const holders = this.#holders(fileId, "providers").filter((id) => id !== nodeId);
      for (const id of seen) if (!holders.includes(id)) seen.delete(id);
      for (const id of holders.filter((holder) => !seen.has(holder))) {
        seen.add(id);
        yield id;
      }
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#changed.delete(wake);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        this.#changed.add(wake);
        signal.addEventListener("abort", wake, { once: true });
      });
    }
  }
}
