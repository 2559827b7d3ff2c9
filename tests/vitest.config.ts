/**
 * Four suites. `fast` runs source in one process, `process` starts built nodes and talks to them, `chromium` runs
 * source inside a browser, `pages` opens the built page in browsers.
 */
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { bundledWorkers } from "./browser/bundled-workers.ts";
import { CHROMIUM } from "./browser/chromium.ts";
import { LongestFirst } from "./longest-first.ts";

const inBrowser = "{contracts,vx,search}/**/*.browser.test.ts";

/** A worker loads the libraries once for all of its files, each of which leaves it as it was: nothing is mocked for ever. */
const SHARED_PROCESS = {
  isolate: false,
  restoreMocks: true,
  unstubGlobals: true,
  setupFiles: ["timers-stay.ts", "long-histories.ts"].map((file) => `${import.meta.dirname}/${file}`),
};

/** What is polled for comes at once on a machine that has nothing else to do, and later on others. */
const patient = (timeout: number) => ({ expect: { poll: { timeout } } });

const BUNDLED_PROGRAMS = `${import.meta.dirname}/bundled-programs.ts`;

export default defineConfig({
  root: import.meta.dirname,
  test: {
    // More than two processors are kept busy by: tests of nodes and pages wait for much.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "fast",
          include: ["{unit,contracts,api,network,vx,search,simulation}/**/*.test.ts"],
          exclude: [inBrowser],
          ...SHARED_PROCESS,
          ...patient(15_000),
          globalSetup: BUNDLED_PROGRAMS,
          testTimeout: 40_000,
        },
      },
      {
        test: {
          name: "process",
          include: ["{interop,attacks}/**/*.test.ts"],
          ...SHARED_PROCESS,
          ...patient(60_000),
          globalSetup: BUNDLED_PROGRAMS,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        plugins: [bundledWorkers],
        // Found when a worker starts, they would reload the page in the middle of a test.
        optimizeDeps: {
          include: [
            "@huggingface/tokenizers",
            "apache-arrow",
            "comlink",
            "datastore-core",
            "fast-check",
            "idb",
            "interface-datastore",
            "interface-store",
            "multiformats/cid",
            "multiformats/hashes/digest",
            "multiformats/hashes/sha2",
            "onnxruntime-web/wasm",
          ],
        },
        test: {
          name: "chromium",
          include: [inBrowser],
          testTimeout: 60_000,
          browser: {
            enabled: true,
            headless: true,
            // One tab, beside the workers of the other suites.
            fileParallelism: false,
            screenshotFailures: false,
            api: { host: "127.0.0.1", port: 0 },
            instances: [{ browser: "chromium" }],
            provider: playwright({ launchOptions: CHROMIUM }),
          },
        },
      },
      {
        test: {
          name: "pages",
          include: ["browser/**/*.test.ts"],
          ...SHARED_PROCESS,
          ...patient(15_000),
          globalSetup: `${import.meta.dirname}/browser/built-pages.ts`,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
