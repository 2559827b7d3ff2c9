/** `shoal generate-api-key`, `list-api-keys`, `revoke-api-key`: work on the data folder, whether a node runs or not. */
import { Command } from "commander";
import { checkKeyName, generateApiKey, idOfKey, listApiKeys, revokeApiKey } from "../api-keys.ts";
import { CommandError } from "../command-error.ts";
import { findDataFolder, openDataFolder } from "../data-folder.ts";
import { removeRevokedKeyFile } from "../first-key.ts";
import { printed, printJson, printLine, printTable } from "./output.ts";
import { variableOption } from "./variable-option.ts";

interface KeyOptions {
  dataDir?: string;
  json?: boolean;
}

export function keyCommands(): Command[] {
  const generate = keyCommand("generate-api-key", "make an API key; the key alone is printed, and only now")
    .option("--name <name>", "what the key is for", "unnamed")
    .action(async ({ dataDir, name, json }: KeyOptions & { name: string }) => {
      checkKeyName(name);
      const folder = await openDataFolder(dataDir);
      const key = await generateApiKey(folder.apiKeysFolder, name, new Date());
      if (json) printJson({ key, name });
      else printLine(key);
      // A start makes no first key where there is one, though nobody has seen it.
      await printed().catch(async (error: Error) => {
        await revokeApiKey(folder.apiKeysFolder, idOfKey(key));
        const reason = `cannot write to the standard output: ${error.message}`;
        throw new CommandError("request_failed", `${reason}; so there is no new key`);
      });
    });

  const list = keyCommand("list-api-keys", "show the API keys, which themselves are stored nowhere").action(
    async ({ dataDir, json }: KeyOptions) => {
      const keys = await listApiKeys((await findDataFolder(dataDir)).apiKeysFolder);
      if (json) {
        const told = keys.map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt }));
        return printJson({ keys: told });
      }
      const rows = keys.map(({ id, createdAt, name }) => [id, createdAt, name]);
      printTable(["ID", "CREATED", "NAME"], rows);
    },
  );

  const revoke = keyCommand("revoke-api-key", "make an API key worthless at once")
    .argument("<id-or-name>")
    .action(async (idOrName: string, { dataDir, json }: KeyOptions) => {
      const folder = await findDataFolder(dataDir);
      const { id, name } = await revokeApiKey(folder.apiKeysFolder, idOrName);
      await removeRevokedKeyFile(folder, id);
      if (json) return printJson({ revoked: { id, name } });
      printLine(`revoked ${id} (${name})`);
    });
  return [generate, list, revoke];
}

function keyCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .addOption(variableOption("--data-dir <folder>", "data folder of the node", "SHOAL_DATA_DIR"))
    .option("--json", "print the answer as JSON");
}
