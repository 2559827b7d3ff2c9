/** A page that writes to an index on OPFS without end, or reads what is there. Driven by vx-kill.test.ts. */
import * as Comlink from "comlink";
import type { RestlessService } from "../vx-restless.worker.ts";

const PATH = "killed/index";
const worker = new Worker(new URL("../vx-restless.worker.ts", import.meta.url), { type: "module" });
const service = Comlink.wrap<RestlessService>(worker);

const killPage = {
  /** Tells the test each outcome. */
  async write(first: number): Promise<void> {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => void window.acknowledged(data);
    await service.write("opfs", PATH, first, Comlink.transfer(port2, [port2]));
  },

  /** Records as data that a test can be sent. */
  async read(): Promise<{ id: string; vector: number[]; metadata: string | undefined }[]> {
    const content = await service.read("opfs", PATH);
    return Array.from(content, ([id, record]) => ({ id: String(id), ...record }));
  },
};

export type KillPage = typeof killPage;

// By the name that openStorageBrowser waits for.
Object.assign(window, { storagePage: killPage });
