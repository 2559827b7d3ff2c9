/** `shoal search`: files found by name and by what they hold, here or on the network. */
import { type Command, InvalidArgumentError } from "commander";
import { clientCommand, type NodeOptions, reachNode } from "./node-client.ts";
import { formatBytes, formatPercent, printJson, printLine, printTable } from "./output.ts";

interface SearchOptions extends NodeOptions {
  network?: boolean;
  limit: number;
  filter?: string;
}

const DEFAULT_LIMIT = 10;

export function searchCommand(): Command {
  return clientCommand("search", "find files by name and by what they hold")
    .argument("<text>", "what they are about, or their name")
    .option("--network", "among the files that peers offer")
    .option("--limit <count>", "most files", readCount, DEFAULT_LIMIT)
    .option("--filter <sql>", "only files that this is true for, such as \"kind = 'document'\"")
    .action(async (text: string, options: SearchOptions) => {
      const { client } = await reachNode(options);
      const { network, limit, filter } = options;
      const query = { q: text, limit, ...(filter !== undefined && { filter }) };
      const answer = network ? await client.networkFiles(query) : await client.files(query);
      if (options.json) return printJson(answer);
      const rows = answer.files.map((file) => [
        file.id,
        formatBytes(file.size),
        formatPercent(file.score ?? 0),
        (file.why ?? []).join(", "),
        file.name,
      ]);
      printTable(["ID", "SIZE", "SCORE", "WHY", "NAME"], rows);
      if (answer.ranked_by === "name") printLine("(by name alone: search by meaning is off or not ready)");
    });
}

function readCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError("It is no whole number above 0.");
}
