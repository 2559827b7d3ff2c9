/**
 * Loaded into a node before it starts: a name server in the attacker's hands. Names under `attacker.test` resolve
 * to what the attacker wants, a private address behind a public one or alone; all other names fail.
 */
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { isIP } from "node:net";

const ANSWERS = {
  "loopback.attacker.test": ["127.0.0.1"],
  "mapped.attacker.test": ["::ffff:127.0.0.1"],
  "metadata.attacker.test": ["169.254.169.254"],
  "mixed.attacker.test": ["192.0.2.1", "127.0.0.1"],
};

const realLookup = dns.lookup;
dns.lookup = (name, options, callback) => {
  const answers = ANSWERS[name];
  if (answers === undefined && (isIP(name) !== 0 || name === "localhost")) {
    return realLookup(name, options, callback);
  }
  process.stderr.write(`looked up ${name}\n`);
  if (answers === undefined) return callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }));
  const found = answers.map((address) => ({ address, family: isIP(address) }));
  return options.all ? callback(null, found) : callback(null, found[0].address, found[0].family);
};
syncBuiltinESMExports();
