/** A node in a process of its own that shares one file, for tests that kill it. Prints its addresses once it listens. */
import { openNode } from "./open-node.ts";
import { someFile } from "./some-file.ts";

const network = await openNode();
network.swarm.announce(someFile("doomed"));
process.stdout.write(`${JSON.stringify(network.swarm.addresses())}\n`);
