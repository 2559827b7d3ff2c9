/** `shoal search` and `shoal similar`: files found by name and by what they hold, here or on the network. */
import { type Command, Option } from "commander";
import type { FoundFile } from "../../api/files.ts";
import type { RankedBy, SearchStatus } from "../../api/search.ts";
import { clientCommand, type NodeOptions, reachNode } from "./node-client.ts";
import { formatBytes, formatPercent, printJson, printLine, printTable } from "./output.ts";
import { positiveCount } from "./positive-count.ts";

interface SearchOptions extends NodeOptions {
  network?: boolean;
  limit: number;
  filter?: string;
}

interface SimilarOptions extends NodeOptions {
  scope?: "all" | "local" | "network";
  limit: number;
}

/** What lists of files found have in common. */
type Hit = Pick<FoundFile, "id" | "size" | "name" | "score" | "why">;

const DEFAULT_LIMIT = 10;

export function searchCommands(): Command[] {
  const search = clientCommand("search", "find files by name and by what they hold")
    .argument("<text>", "what they are about, or their name")
    .option("--network", "among the files that peers offer")
    .option("--limit <count>", "most files", positiveCount, DEFAULT_LIMIT)
    .option("--filter <sql>", "only files that this is true for, such as \"kind = 'document'\"")
    .action(async (text: string, options: SearchOptions) => {
      const { client } = await reachNode(options);
      const { network, limit, filter } = options;
      const query = { q: text, limit, ...(filter !== undefined && { filter }) };
      const answer = network ? await client.networkFiles(query) : await client.files(query);
      if (options.json) return printJson(answer);
      printHits(answer, await client.searchStatus());
    });

  const similar = clientCommand("similar", "find files like one that is here or that peers offer")
    .argument("<file-id>")
    .addOption(
      new Option("--scope <which>", "where to look (default: all)").choices(["all", "local", "network"]),
    )
    .option("--limit <count>", "most files", positiveCount, DEFAULT_LIMIT)
    .action(async (fileId: string, { limit, scope, ...options }: SimilarOptions) => {
      const { client } = await reachNode(options);
      const answer = await client.similarFiles(fileId, { limit, ...(scope !== undefined && { scope }) });
      if (options.json) return printJson(answer);
      printHits(answer, await client.searchStatus());
    });
  return [search, similar];
}

/** What is missing is told: files that are shared now are found by what they hold a moment later. */
function printHits(
  { files, ranked_by }: { files: readonly Hit[]; ranked_by?: RankedBy },
  { pending }: Pick<SearchStatus, "pending">,
): void {
  const rows = files.map((file) => [
    file.id,
    formatBytes(file.size),
    // A filter alone ranks nothing.
    file.score === undefined ? "" : formatPercent(file.score),
    (file.why ?? []).join(", "),
    file.name,
  ]);
  printTable(["ID", "SIZE", "SCORE", "WHY", "NAME"], rows);
  if (ranked_by === "name") printLine("(by name alone: search by meaning is off or not ready)");
  if (pending > 0) printLine(`(${pending} ${pending === 1 ? "file is" : "files are"} still to be read)`);
}
