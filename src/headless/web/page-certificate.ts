/** The certificate of the page, by the settings. Called by open-web, and by the start command before all else is loaded. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { CommandError } from "../command-error.ts";
import { MAX_PEM_BYTES } from "../limits.ts";
import type { Settings } from "../settings/settings.ts";

/** Undefined where the page is served over HTTP. @throws CommandError `usage` */
export async function readPageCertificate(
  settings: Settings,
): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  const { "tls-cert": cert, "tls-key": key } = settings;
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new CommandError("usage", "--tls-cert and --tls-key are given together");
  }
  const tls = { cert: await readPem("--tls-cert", cert), key: await readPem("--tls-key", key) };
  try {
    createSecureContext(tls);
    // With a key of another kind, such as RSA for EC, the context is made, and every handshake fails.
    const isOfKey = new X509Certificate(tls.cert).checkPrivateKey(createPrivateKey(tls.key));
    if (!isOfKey) throw new Error("the key is another certificate's");
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    const files = `--tls-cert ${cert} and --tls-key ${key}`;
    throw new CommandError("usage", `${files} are no certificate with its key: ${reason}`, { cause: error });
  }
  return tls;
}

async function readPem(flag: string, path: string): Promise<Buffer> {
  try {
    const bytes = await readFile(path);
    if (bytes.byteLength > MAX_PEM_BYTES) throw new Error("the file is too long");
    return bytes;
  } catch (error) {
    throw new CommandError("usage", `${flag} ${path}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}
