/** Loaded before a command's own code, for a user that is in no list and has no HOME. Used by cli.test. */
const { syncBuiltinESMExports } = require("node:module");
const os = require("node:os");

os.homedir = () => {
  throw Object.assign(new Error("uv_os_homedir returned ENOENT"), { code: "ERR_SYSTEM_ERROR" });
};
syncBuiltinESMExports();
