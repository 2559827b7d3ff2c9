/** Programs that tests start beside themselves, which bundled-programs.ts has made one file each. */
import { join } from "node:path";

/** The file to run for `NAME.child.ts`. */
export function childProgram(name: string): string {
  return join(process.env.SHOAL_BUNDLES as string, `${name}.child.js`);
}
