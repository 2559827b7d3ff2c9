/**
 * Makes the engine let go of Blobs that nobody has any more. Called by idb-blocks. The bytes of a Blob lie in the browser's own
 * process until its few bytes here are collected, and Chromium's collector, which counts buffers and not Blobs, sees no
 * reason to: hundreds of megabytes pile up while a file is shared. So a buffer stands for them that nobody writes to,
 * and which takes no memory for that; one replaces the other, and the weight of those before makes the collector come.
 */
import { BLOB_WEIGHT, BLOBS_WEIGHED_BYTES, WEIGHT_KEPT_MS } from "../limits.ts";

export class BlobWeight {
  #unweighedBytes = 0;
  /** Only one that was reachable for a while counts: younger ones are freed without a look at anything else. */
  // biome-ignore lint/correctness/noUnusedPrivateClassMembers: that it is held is its use
  #weight: ArrayBuffer | undefined;
  #letGo: ReturnType<typeof setTimeout> | undefined;

  add(sizeBytes: number): void {
    this.#unweighedBytes += sizeBytes;
    if (this.#unweighedBytes < BLOBS_WEIGHED_BYTES) return;
    this.#weight = reserve(this.#unweighedBytes * BLOB_WEIGHT);
    this.#unweighedBytes = 0;
    clearTimeout(this.#letGo);
    this.#letGo = setTimeout(() => {
      this.#weight = undefined;
    }, WEIGHT_KEPT_MS);
  }
}

/** Where there is no room for it, the engine has collected all that it can. */
function reserve(sizeBytes: number): ArrayBuffer | undefined {
  try {
    return new ArrayBuffer(sizeBytes);
  } catch {
    return undefined;
  }
}
