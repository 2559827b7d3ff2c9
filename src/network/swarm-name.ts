/**
 * What is named after a swarm. Nodes of different swarms may be connected, but hear nothing of each other's files: topic and DHT
 * protocol differ, and the catalogue protocol names the swarm.
 */

export const announceTopic = (swarm: string): string => `/shoal/${swarm}/announce/1`;

export const excerptTopic = (swarm: string): string => `/shoal/${swarm}/excerpts/1`;

export const dhtProtocol = (swarm: string): string => `/shoal/${swarm}/kad/1.0.0`;
