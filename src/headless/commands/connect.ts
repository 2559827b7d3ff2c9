/** `shoal connect`: a peer dialled by its address. */
import type { Command } from "commander";
import { clientCommand, type NodeOptions, reachNode } from "./node-client.ts";
import { printJson, printLine } from "./output.ts";

export function connectCommand(): Command {
  return clientCommand("connect", "connect the node to a peer")
    .argument("<address>", "its multiaddr, as shoal status prints it there")
    .action(async (address: string, options: NodeOptions) => {
      const { client } = await reachNode(options);
      const peer = await client.connect(address);
      if (options.json) return printJson(peer);
      printLine(`connected to ${peer.id} by ${peer.transport}`);
    });
}
