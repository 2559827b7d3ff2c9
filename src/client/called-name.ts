/**
 * What a peer is called where people read of it: by the name that it gives itself, or by two words made of its id,
 * which are easier to say and to tell apart. Called by the screens and the commands. Neither proves who it is: an id
 * with the same two words is soon made up, and a name is anybody's to take.
 */
import type { Peer } from "../api/node.ts";
import { UNSEEN } from "../spelling/unseen.ts";

// 64 each, in an order that stays: other words would be other names.
const MANNERS =
  "Amber Azure Bold Brave Bright Brisk Bronze Calm Clever Cobalt Copper Cheery Cosy Crimson Curious Daring " +
  "Dapper Eager Early Emerald Fair Fleet Gentle Glad Golden Grand Green Happy Hardy Honest Humble Indigo " +
  "Ivory Jade Jolly Keen Kind Lively Loyal Lucky Mellow Merry Mighty Misty Modest Noble Olive Patient " +
  "Pearly Polite Proud Quick Quiet Ruby Scarlet Silver Smooth Steady Sunny Swift Tidy Violet Warm Witty";
const SEA_LIFE =
  "Anchovy Anemone Barnacle Bass Bream Carp Clam Cockle Cod Conch Coral Cowrie Crab Cuttlefish Dolphin Dory " +
  "Eel Flounder Gannet Grouper Gull Gurnard Haddock Hake Halibut Heron Herring Kelp Krill Limpet Ling Lobster " +
  "Mackerel Manatee Marlin Minnow Mullet Mussel Narwhal Nautilus Octopus Orca Otter Oyster Pelican Perch Pike Pilchard " +
  "Plaice Porpoise Prawn Puffin Ray Salmon Sardine Seal Shrimp Skate Sole Squid Starfish Tern Trout Tuna";

const FIRST_WORDS = MANNERS.split(" ");
const SECOND_WORDS = SEA_LIFE.split(" ");

/** Its own name, where that can be seen, or `Silver Herring`. A node of an earlier version tells no names. */
export function calledName({ id, name }: Pick<Peer, "id"> & Partial<Pick<Peer, "name">>): string {
  if (typeof name === "string" && !UNSEEN.test(name)) return name;
  const hash = fnv1a(id);
  const [first, second] = [(hash >>> 6) % FIRST_WORDS.length, hash % SECOND_WORDS.length];
  return `${FIRST_WORDS[first]} ${SECOND_WORDS[second]}`;
}

/** 32 bits. Source: Fowler, Noll and Vo, draft-eastlake-fnv, whose lower half is mixed with the upper one. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash ^ (hash >>> 16)) >>> 0;
}
