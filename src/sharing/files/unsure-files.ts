/**
 * The files that only shares under way have brought, and by which of them each is wanted: a folder that is refused takes away
 * those that nobody else wants. Kept by node; told by the importer and folder-sharing.
 */

/** One share, or one folder's, told from others by its identity. */
export type Sharer = object;

export class UnsureFiles {
  readonly #sharers = new Map<string, Set<Sharer>>();

  /** Before the file is added. `isKnown`: whether it is here. */
  begin(fileId: string, sharer: Sharer, isKnown: boolean): void {
    const sharers = this.#sharers.get(fileId);
    if (sharers !== undefined) sharers.add(sharer);
    else if (!isKnown) this.#sharers.set(fileId, new Set([sharer]));
  }

  /** What the share has begun. */
  of(sharer: Sharer): string[] {
    return [...this.#sharers].filter(([, sharers]) => sharers.has(sharer)).map(([fileId]) => fileId);
  }

  /** All that the share has begun stays, whoever is refused. */
  keep(sharer: Sharer): void {
    for (const fileId of this.of(sharer)) this.#sharers.delete(fileId);
  }

  /** The share is refused. @returns whether nobody wants the file any more */
  giveUp(fileId: string, sharer: Sharer): boolean {
    const sharers = this.#sharers.get(fileId);
    if (!sharers?.delete(sharer) || sharers.size > 0) return false;
    return this.#sharers.delete(fileId);
  }
}
