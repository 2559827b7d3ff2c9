/**
 * One reduction in a process of its own, started by reduction.ts: the name of who reduces, the task as JSON, a file of
 * vectors and one for what becomes of them. Prints processor seconds, of all threads.
 */
import { readFile, writeFile } from "node:fs/promises";
import { argv, cpuUsage, exit } from "node:process";
import { reducers, type Task } from "./reduction-peers.ts";

const [name, taskText, from, to] = argv.slice(2) as [string, string, string, string];
const task = JSON.parse(taskText) as Task;
const bytes = await readFile(from);
const vectors = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4).slice();
const reduce = reducers[name]?.[task.method];
if (reduce === undefined) throw new Error(`${name} does not know ${task.method}`);
const start = cpuUsage();
const reduced = await reduce(vectors, task);
const { user, system } = cpuUsage(start);
await writeFile(to, reduced);
console.log(JSON.stringify({ seconds: (user + system) / 1e6 }));
exit();
