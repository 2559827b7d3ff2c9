/** Which Hosts and other sites are let in, by the settings: to the API, and to the swarm by a WebSocket. */
import type { AccessRules } from "../../api/ports.ts";
import type { Settings } from "./settings.ts";

export function accessRules(settings: Settings): AccessRules {
  return { hostNames: settings["host-name"], corsOrigins: settings["cors-origin"] };
}
