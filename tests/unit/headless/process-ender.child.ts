/** Ends a serving process that nothing else waits for, and tells when it has ended. Started by serving-process.test.ts. */
import { startServingProcess } from "../../../src/headless/threads/serving-process.ts";

const { setBusy, end } = startServingProcess("embed-process");
setBusy(false);
await end();
process.stdout.write("ended\n");
