/** Runs embed-process from source, as tests and `npm run dev` do. */
import { register } from "tsx/esm/api";

register();
await import("./embed-process.ts");
