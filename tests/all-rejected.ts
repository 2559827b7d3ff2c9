import { expect } from "vitest";

/**
 * That each is rejected, with an error like that. All are listened to at once: a promise that is rejected while its
 * turn is awaited would count as unhandled.
 */
export async function allRejected(promises: readonly Promise<unknown>[], error: object): Promise<void> {
  await Promise.all(promises.map((promise) => expect(promise).rejects.toMatchObject(error)));
}
