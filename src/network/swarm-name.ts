/**
 * A swarm name and what is named after it. Nodes of different swarms may be connected, but hear nothing of each
 * other's files: topic and DHT protocol differ, and the catalogue protocol names the swarm.
 */
import { SharingError } from "../sharing/errors.ts";
import { MAX_SWARM_NAME_CHARS } from "./limits.ts";

const SWARM_NAME = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/;

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

export const announceTopic = (swarm: string): string => `/shoal/${swarm}/announce/1`;

export const excerptTopic = (swarm: string): string => `/shoal/${swarm}/excerpts/1`;

export const dhtProtocol = (swarm: string): string => `/shoal/${swarm}/kad/1.0.0`;
