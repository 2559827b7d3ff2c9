/**
 * Loaded into a node before its own code: at SIGUSR2 it logs how often V8 has collected all garbage of its own accord, and
 * collects it once. Started by collections.test.
 */
const { constants, PerformanceObserver } = require("node:perf_hooks");
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");
const { isMainThread } = require("node:worker_threads");

const { NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_FLAGS_FORCED } = constants;

if (isMainThread) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  let count = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) {
      const isForced = (detail.flags & NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
      if (detail.kind === NODE_PERFORMANCE_GC_MAJOR && !isForced) count += 1;
    }
  }).observe({ entryTypes: ["gc"] });
  process.on("SIGUSR2", () => {
    collect();
    process.stderr.write(`collected all, ${count} times by itself\n`);
  });
}
