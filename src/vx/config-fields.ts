/**
 * Which fields a Config has, and of what type. Called by config.ts before it reads them: JavaScript passes over a
 * misspelt name and makes a text of whatever is given as a key, and what an index is made with it keeps.
 */
import type { Config } from "./config.ts";
import { wrongConfig } from "./errors.ts";

const types: Record<keyof Config, readonly string[]> = {
  dimension: ["number"],
  storagePath: ["string"],
  distance: ["string"],
  maxElements: ["number"],
  hnswM: ["number"],
  hnswEfConstruct: ["number"],
  hnswEfSearch: ["number"],
  quantization: ["string"],
  batchSize: ["number"],
  persistInterval: ["number", "string"],
  backupInterval: ["number", "string"],
  backupPath: ["string"],
  backupCompression: ["boolean"],
  maxBackups: ["number"],
  encryptionEnabled: ["boolean"],
  encryptionKey: ["string"],
  enableDimReduction: ["boolean"],
  dimReductionMethod: ["string"],
  dimReductionTarget: ["number"],
  dimReductionAdaptive: ["boolean"],
  dimReductionMinVariance: ["number"],
  fitAfter: ["number"],
};

/** The fields that are given: null is as if one were left out. @throws VxError `invalid_request` */
export function givenFields(config: Config): Config {
  if (typeof config !== "object" || config === null) throw wrongConfig("a Config is an object of fields");
  for (const [name, value] of Object.entries(config)) {
    if (!Object.hasOwn(types, name)) throw wrongConfig(`there is no field ${name}`);
    const allowed = types[name as keyof Config];
    if (value === undefined || value === null || allowed.includes(typeof value)) continue;
    throw wrongConfig(`${name} must be a ${allowed.join(" or a ")}`);
  }
  const names = Object.keys(types) as (keyof Config)[];
  return Object.fromEntries(names.map((name) => [name, config[name] ?? undefined]));
}
