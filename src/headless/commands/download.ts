/** `shoal download` and `shoal resume`: start a transfer in the node and watch it. */
import { type Command, Option } from "commander";
import type { FolderDownload } from "../../api/folders.ts";
import type { DownloadRequest } from "../../api/transfer-bodies.ts";
import type { ShoalClient } from "../../client/client.ts";
import { CommandError } from "../command-error.ts";
import { printable } from "../printable.ts";
import { clientCommand, type NodeOptions, reachNode } from "./node-client.ts";
import { printJson, printLine } from "./output.ts";
import { positiveCount } from "./positive-count.ts";
import { watchFolder } from "./watch-folder.ts";
import { checkCompleted, transferEnd, watchTransfer } from "./watch-transfer.ts";

interface DownloadOptions extends NodeOptions {
  folder?: boolean;
  overwrite?: boolean;
  multiPeer: boolean;
  maxPeers?: number;
  strategy?: NonNullable<DownloadRequest["strategy"]>;
  unlisted?: boolean;
}

export function downloadCommands(): Command[] {
  const download = clientCommand("download", "download a file from the peers that hold it")
    .argument("<file-id>")
    .argument(
      "[output]",
      "where to put it, beneath the node's download root (default: its chunk store alone)",
    )
    .option("--folder", "the id is a folder's: download its files, beneath the output")
    .option("--overwrite", "replace a file that stands there")
    .option("--no-multi-peer", "from one peer at a time")
    .option("--max-peers <count>", "most peers at once (default: 5)", positiveCount)
    .addOption(
      new Option("--strategy <name>", "which chunk comes next (default: rarest_first)").choices([
        "rarest_first",
        "sequential",
        "round_robin",
      ]),
    )
    .option("--unlisted", "ask no strangers for it, and tell no peer of it")
    .action(async (fileId: string, output: string | undefined, options: DownloadOptions) => {
      const { client } = await reachNode(options);
      const wanted = {
        multi_peer: options.multiPeer,
        ...(output !== undefined && { output_path: output }),
        ...(options.overwrite && { overwrite: true }),
        ...(options.maxPeers !== undefined && { max_peers: options.maxPeers }),
        ...(options.strategy !== undefined && { strategy: options.strategy }),
        ...(options.unlisted && { unlisted: true }),
      };
      const json = options.json === true;
      if (options.folder) return await downloadFolder(client, fileId, wanted, { json });
      const start = () => client.download({ file_id: fileId, ...wanted });
      await watchTransfer(client, fileId, start, { json });
    });

  const resume = clientCommand("resume", "go on with an interrupted download")
    .argument("<file-id>")
    .action(async (fileId: string, options: NodeOptions) => {
      const { client } = await reachNode(options);
      await watchTransfer(client, fileId, () => client.resume(fileId), { json: options.json === true });
    });
  return [download, resume];
}

/** First the list of the folder's files, then all of them. */
async function downloadFolder(
  client: ShoalClient,
  fileId: string,
  wanted: FolderDownload,
  { json }: { json: boolean },
): Promise<void> {
  const { unlisted } = wanted;
  const start = () => client.download({ file_id: fileId, unlisted });
  checkCompleted(await transferEnd(client, fileId, start));
  const files = await watchFolder(
    client,
    async () => (await client.downloadFolder(fileId, wanted)).transfers,
  );
  if (json) printJson({ files });
  const failed = files.filter(({ error }) => error !== null);
  if (failed.length > 0) {
    const lines = failed.map(({ path, error }) => `\n  ${printable(path)}: ${error}`);
    throw new CommandError(
      "request_failed",
      `${failed.length} of ${files.length} files are not here:${lines.join("")}`,
    );
  }
  const place = wanted.output_path === undefined ? "" : `: ${wanted.output_path}`;
  if (!json) printLine(`${files.length === 1 ? "1 file is" : `${files.length} files are`} here${place}`);
}
