/**
 * `shoal pause` and `shoal cancel`: end the work on a download, for now or for good. Both take the id of a transfer, as
 * the REST API does, or the id of its file, as `download` and `resume` do.
 */
import type { Command } from "commander";
import type { ShoalClient } from "../../client/client.ts";
import { isSharingError } from "../../sharing/errors.ts";
import { parseFileId } from "../../sharing/file-id.ts";
import { CommandError } from "../command-error.ts";
import { clientCommand, type NodeOptions, reachNode } from "./node-client.ts";
import { printJson, printLine } from "./output.ts";

/** Transfers are named by UUIDs, which no spelling of a file id looks like. */
const TRANSFER_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function stopCommands(): Command[] {
  const pause = stopCommand("pause", "stop a download until it is resumed").action(
    async (id: string, options: NodeOptions) => {
      const { client } = await reachNode(options);
      const transferId = await findTransfer(client, id);
      const answer = await client.pause(transferId);
      if (options.json) return printJson(answer);
      const { file_id } = await client.transfer(transferId);
      printLine(`${answer.message}; shoal resume ${file_id} goes on with it`);
    },
  );

  const cancel = stopCommand("cancel", "end a download for good and delete what it brought").action(
    async (id: string, options: NodeOptions) => {
      const { client } = await reachNode(options);
      const answer = await client.cancel(await findTransfer(client, id));
      if (options.json) return printJson(answer);
      printLine(answer.message);
    },
  );
  return [pause, cancel];
}

function stopCommand(name: string, description: string): Command {
  return clientCommand(name, description).argument("<id>", "of the transfer, or of the file");
}

/** @throws CommandError `usage` for what is no id, `request_failed` unless just one transfer of the file is active */
async function findTransfer(client: ShoalClient, id: string): Promise<string> {
  if (TRANSFER_ID.test(id)) return id;
  const fileId = readFileId(id);
  const ofFile = (await client.transfers()).transfers.filter(({ file_id }) => file_id === fileId);
  const [transfer] = ofFile;
  if (transfer === undefined) {
    throw new CommandError(
      "request_failed",
      `no transfer of ${fileId} is active (shoal transfers shows those that are)`,
    );
  }
  if (ofFile.length > 1) {
    const ids = ofFile.map((other) => other.id).join(", ");
    throw new CommandError("request_failed", `several transfers of that file are active, name one: ${ids}`);
  }
  return transfer.id;
}

function readFileId(text: string): string {
  try {
    return parseFileId(text).toString();
  } catch (error) {
    if (!isSharingError(error, "bad_request")) throw error;
    throw new CommandError("usage", `${text} is the id of no transfer and no file: ${error.message}`, {
      cause: error,
    });
  }
}
