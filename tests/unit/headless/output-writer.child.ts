/** Opens an output, writes to it, says so, and waits to be killed. Started by fs-files.test.ts; argument: a folder. */
import { openDownloads } from "./open-downloads.ts";

const [folder = ""] = process.argv.slice(2);
const files = await openDownloads(folder);
const output = await files.openOutput("films/new/movie.bin", { overwrite: false });
await output.write(0, new Uint8Array(1000));
process.stdout.write("written\n");
process.stdin.resume();
