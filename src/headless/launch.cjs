#!/usr/bin/env node
/**
 * What `shoal` runs first: sizes the thread pool, then loads the program. The build copies it to
 * dist/headless/shoal.js. It is CommonJS because Node.js reads ES modules through the thread pool, which by then
 * has its four threads for good; disk and hashing of several transfers want sixteen (measured: twice the speed of
 * durable writes).
 */
process.env.UV_THREADPOOL_SIZE ??= "16";
import("../chunks/shoal.js");
