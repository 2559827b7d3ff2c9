/** `shoal download` and `shoal resume`: start a transfer in the node and watch it. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { DownloadRequest } from "../../api/transfers.ts";
import { clientCommand, type NodeOptions, reachNode } from "./node-client.ts";
import { watchTransfer } from "./watch-transfer.ts";

interface DownloadOptions extends NodeOptions {
  overwrite?: boolean;
  multiPeer: boolean;
  maxPeers?: number;
  strategy?: NonNullable<DownloadRequest["strategy"]>;
}

export function downloadCommands(): Command[] {
  const download = clientCommand("download", "download a file from the peers that hold it")
    .argument("<file-id>")
    .argument(
      "[output]",
      "where to put it, beneath the node's download root (default: its chunk store alone)",
    )
    .option("--overwrite", "replace a file that stands there")
    .option("--no-multi-peer", "from one peer at a time")
    .option("--max-peers <count>", "most peers at once (default: 5)", wholeNumber)
    .addOption(
      new Option("--strategy <name>", "which chunk comes next (default: rarest_first)").choices([
        "rarest_first",
        "sequential",
        "round_robin",
      ]),
    )
    .action(async (fileId: string, output: string | undefined, options: DownloadOptions) => {
      const { client } = await reachNode(options);
      const started = await client.download({
        file_id: fileId,
        multi_peer: options.multiPeer,
        ...(output !== undefined && { output_path: output }),
        ...(options.overwrite && { overwrite: true }),
        ...(options.maxPeers !== undefined && { max_peers: options.maxPeers }),
        ...(options.strategy !== undefined && { strategy: options.strategy }),
      });
      await watchTransfer(client, started, { json: options.json === true });
    });

  const resume = clientCommand("resume", "go on with an interrupted download")
    .argument("<file-id>")
    .action(async (fileId: string, options: NodeOptions) => {
      const { client } = await reachNode(options);
      const started = await client.resume(fileId);
      await watchTransfer(client, started, { json: options.json === true });
    });
  return [download, resume];
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("It is no whole number above 0.");
  return Number(text);
}
