/** Options that a variable may give as well. Called by node-client and keys. */
import { Option } from "commander";

/** An empty variable counts as absent, as it does among the settings: deployment tools write it so. */
export function variableOption(flags: string, description: string, variable: string): Option {
  const option = new Option(flags, description);
  return process.env[variable] === "" ? option : option.env(variable);
}
