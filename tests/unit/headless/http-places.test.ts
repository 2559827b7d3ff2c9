/** Whose connection has no place, where all are taken: src/headless/http/places. */
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { Places } from "../../../src/headless/http/places.ts";

function connectionOf(remoteAddress: string): Socket {
  return Object.assign(new EventEmitter(), { remoteAddress }) as Socket;
}

/** So many places, and connections that take them in turn. */
function taken(count: number, ...addresses: string[]) {
  const places = new Places(count);
  const sockets = addresses.map(connectionOf);
  for (const socket of sockets) expect(places.take(socket)).toBeUndefined();
  return { places, sockets };
}

it("the newest of the host that has the most makes room for one that has fewer, and at once", () => {
  const { places, sockets } = taken(4, "10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.2");
  expect(places.take(connectionOf("10.0.0.3"))).toBe(sockets[3]);
  expect(places.take(connectionOf("10.0.0.4"))).toBe(sockets[2]);
});

it("who has as many as any other finds no place", () => {
  const { places } = taken(3, "10.0.0.1", "10.0.0.2", "10.0.0.2");
  for (const address of ["10.0.0.1", "10.0.0.2"]) {
    const late = connectionOf(address);
    expect(places.take(late)).toBe(late);
  }
});

it("a place is free when its connection has closed, and one that had to go is counted no more", () => {
  const { places, sockets } = taken(2, "10.0.0.1", "10.0.0.1");
  expect(places.take(connectionOf("10.0.0.2"))).toBe(sockets[1]);
  for (const socket of sockets.toReversed()) socket.emit("close");
  expect(places.take(connectionOf("10.0.0.2"))).toBeUndefined();
  const late = connectionOf("10.0.0.2");
  expect(places.take(late)).toBe(late);
});

it("all addresses of one subscriber are one host", () => {
  const { places, sockets } = taken(3, "10.0.0.1", "2001:db8::1", "2001:db8::2");
  expect(places.take(connectionOf("10.0.0.2"))).toBe(sockets[2]);
});
