#!/usr/bin/env node
/**
 * What `shoal` runs first: sizes the thread pool and the heap, then loads the program. The build copies it to
 * dist/headless/shoal.js. It is CommonJS because Node.js reads ES modules through the thread pool, which by then
 * has its four threads for good; disk and hashing of several transfers want sixteen (measured: twice the speed of
 * durable writes).
 *
 * V8 collects all garbage when what it holds has grown by a share of what the last time left, and buffers made since count
 * as growth. A node's heap is small and its buffers are many, so once it was collected it would be again for every 15 MiB of
 * a transfer, which halved the speed (measured: 18 instead of 8 ms of processor time a MiB). It may grow to four times.
 */
require("node:v8").setFlagsFromString("--heap-growing-percent=300");
process.env.UV_THREADPOOL_SIZE ??= "16";
import("../chunks/shoal.js");
