/**
 * What a swarm may be called: it is part of the names of protocols and topics. Called by whoever takes such a name,
 * from settings of either host or over the API.
 */
import { SharingError } from "./errors.ts";
import { MAX_SWARM_NAME_CHARS } from "./limits.ts";

export const SWARM_NAME = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/;

/** @throws SharingError `bad_request` */
export function checkSwarmName(name: string): string {
  if (name.length > MAX_SWARM_NAME_CHARS || !SWARM_NAME.test(name)) {
    throw new SharingError(
      "bad_request",
      `a swarm name has 1 to ${MAX_SWARM_NAME_CHARS} lower-case letters, digits, dots, dashes or underscores, and starts and ends with a letter or digit`,
    );
  }
  return name;
}
