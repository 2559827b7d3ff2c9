/**
 * A worker of the tests in a browser comes as one file, where Vite's server would give each of its hundred modules by itself,
 * anew to each of the hundreds of workers: half of what those tests cost. Used by vitest.config; calls Vite's build.
 */
import { build, type Plugin, type Rolldown } from "vite";

/** What Vite makes of the address in `new Worker(new URL(…, import.meta.url), { type: "module" })`. */
const WORKER_FILE = /^(.+)\?worker_file&type=module$/;

const FILE_URL = /^(.+)\?url$/;

/** Files that are fetched, which Vite's server gives by their paths. */
const fetchedFiles: Plugin = {
  name: "fetched-files",
  enforce: "pre",
  async resolveId(source, importer) {
    const [, file] = FILE_URL.exec(source) ?? [];
    const found = file === undefined ? null : await this.resolve(file, importer);
    return found && `\0${found.id}?url`;
  },
  load(id) {
    const [, file] = FILE_URL.exec(id) ?? [];
    return file === undefined ? null : `export default ${JSON.stringify(`/@fs${file.slice(1)}`)};`;
  },
};

export const bundledWorkers: Plugin = {
  name: "bundled-workers",
  enforce: "pre",
  async load(id) {
    const [, input] = WORKER_FILE.exec(id) ?? [];
    if (input === undefined) return null;
    const { output } = (await build({
      configFile: false,
      logLevel: "warn",
      publicDir: false,
      plugins: [fetchedFiles],
      build: {
        write: false,
        minify: false,
        sourcemap: true,
        modulePreload: false,
        target: "esnext",
        rolldownOptions: { input, output: { codeSplitting: false } },
      },
    })) as Rolldown.RolldownOutput;
    const [{ code, map, moduleIds }] = output;
    for (const path of moduleIds) if (!path.startsWith("\0")) this.addWatchFile(path);
    return { code, map };
  },
};
