/**
 * Runs the thread named by its argument from source, as `npm run dev` does: in a thread, tsx has to be registered anew. Tests
 * have a folder of bundled threads, which start in a fifth of the time.
 */
import { pathToFileURL } from "node:url";
import { register } from "tsx/esm/api";

const [, , name] = process.argv;
const bundles = process.env.SHOAL_BUNDLES;
if (bundles === undefined) {
  register();
  await import(`./${name}.ts`);
} else {
  await import(pathToFileURL(`${bundles}/${name}.js`).href);
}
