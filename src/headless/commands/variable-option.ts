/** Options that a variable may give as well. Called by node-client and keys. */
import { InvalidArgumentError, Option } from "commander";

/** An empty variable counts as absent, as it does among the settings: deployment tools write it so. */
export function variableOption(flags: string, description: string, variable: string): Option {
  const option = new Option(flags, description).argParser(notEmpty);
  return process.env[variable] === "" ? option : option.env(variable);
}

/** Of a folder, it would be the one that the shell stands in. */
function notEmpty(value: string): string {
  if (value === "") throw new InvalidArgumentError("It is empty.");
  return value;
}
