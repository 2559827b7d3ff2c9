/** Two suites: `fast` runs source in one process, `process` starts built nodes and talks to them. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  test: {
    projects: [
      {
        test: {
          name: "fast",
          include: ["{unit,contracts,api,network,vx}/**/*.test.ts"],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: "process",
          include: ["{interop,attacks}/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
