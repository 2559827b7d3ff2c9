/** The ports of a host that the REST API shows beside its node, in memory: settings, identity, storage. */
import { generateKeyPair, privateKeyFromProtobuf, privateKeyToProtobuf } from "@libp2p/crypto/keys";
import type { PrivateKey } from "@libp2p/interface";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import type {
  EvictableStorage,
  HostSettingName,
  HostSettings,
  Identity,
  SettingsStore,
} from "../../src/api/ports.ts";
import { SharingError } from "../../src/sharing/errors.ts";

export function memorySettings(changeable: SettingsStore["changeable"]): SettingsStore {
  let values: HostSettings = {
    name: null,
    swarm: "main",
    bootstrap: [],
    ice_servers: [],
    max_storage: 10 * 1024 ** 3,
    max_upload: null,
    max_download: null,
    auto_resume: true,
    search: true,
    excerpts: true,
    invitations: true,
    search_model: null,
  };
  const pending = new Set<HostSettingName>();
  return {
    changeable,
    read: () => values,
    pending: () => [...pending],
    async change(changes) {
      values = { ...values, ...changes };
      for (const name of Object.keys(changes) as HostSettingName[]) {
        if (changeable[name] === "next_start") pending.add(name);
      }
    },
  };
}

export async function memoryIdentity(): Promise<Identity> {
  let key: PrivateKey = await generateKeyPair("Ed25519");
  const read = async () => ({
    nodeId: peerIdFromPrivateKey(key).toString(),
    privateKey: privateKeyToProtobuf(key),
  });
  return {
    read,
    async replace(privateKey) {
      try {
        key = privateKeyFromProtobuf(privateKey);
      } catch (cause) {
        throw new SharingError("bad_request", "That is no private key", { cause });
      }
      return await read();
    },
  };
}

export function memoryStorage(): EvictableStorage {
  let isPersisted = false;
  return {
    isPersisted: async () => isPersisted,
    async persist() {
      isPersisted = true;
      return isPersisted;
    },
  };
}
