/** A name that no other tab makes. Called by leader for its tab and by leader-link for a pipe. */

/** Not by randomUUID, which pages without a secure context lack: they have to say what is wrong. */
export function randomName(): string {
  return crypto.getRandomValues(new BigUint64Array(2)).join("-");
}
