/** Runs texts-worker from source, as tests and `npm run dev` do: in a thread, tsx has to be registered anew. */
import { register } from "tsx/esm/api";

register();
await import("./texts-worker.ts");
