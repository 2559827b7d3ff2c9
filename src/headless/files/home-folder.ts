/** The home folder of the user that runs this. Called by main and data-folder. */
import { homedir } from "node:os";
import { hasCode } from "./disk-errors.ts";

/** Undefined where nothing names one: users that run services in containers may be in no list, and have no HOME. */
export function homeFolder(): string | undefined {
  try {
    return homedir();
  } catch (error) {
    if (hasCode(error, "ERR_SYSTEM_ERROR")) return undefined;
    throw error;
  }
}
