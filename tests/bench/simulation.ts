/**
 * `npm run bench simulation -- [seconds] [first seed]`: one simulation after the other (tests/simulation), a seed each, until the
 * time is over, one at least. Prints the traces of those in which a rule did not hold; the exit is 1 if there was one.
 */
import { argv } from "node:process";
import { type Outcome, report, simulate } from "../simulation/simulation.ts";

const seconds = Number(argv[2] ?? 60);
const firstSeed = Number(argv[3] ?? 1);

const startMs = performance.now();
const broken: Outcome[] = [];
let count = 0;
let passedMs = 0;
let slowest = { seed: firstSeed, quietMs: 0 };
do {
  const outcome = await simulate(firstSeed + count);
  count += 1;
  passedMs += outcome.passedMs;
  if (outcome.quietMs > slowest.quietMs) slowest = outcome;
  if (outcome.breach === undefined) continue;
  broken.push(outcome);
  console.log(`${report(outcome)}\n`);
} while (performance.now() - startMs < seconds * 1000);

const took = ((performance.now() - startMs) / 1000).toFixed(0);
console.log(`${count} seeds from ${firstSeed} on, ${(passedMs / 3_600_000).toFixed(1)} hours in ${took} s.`);
console.log(`All came that could be had after ${slowest.quietMs / 1000} s at most (seed ${slowest.seed}).`);
for (const { seed, breach } of broken) console.log(`seed ${seed}: ${breach?.split("\n")[0]}`);
process.exitCode = broken.length > 0 ? 1 : 0;
