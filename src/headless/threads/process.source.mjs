/** Runs the process named by its argument from source, as tests and `npm run dev` do. */
import { register } from "tsx/esm/api";

const [, , name] = process.argv;
register();
await import(`./${name}.ts`);
