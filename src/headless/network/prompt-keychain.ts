/**
 * libp2p's keychain, which says at once that it has no such key: the library takes up to a second for that, as if somebody
 * guessed, and a first start, whose WebRTC-direct asks for its certificate's, waited for it. Called by open-network.
 */
import { NotFoundError } from "@libp2p/interface";
import { keychain } from "@libp2p/keychain";
import type { KeychainFactory } from "../../network/libp2p-node.ts";

/** Keys are encrypted without a password: the data folder guards what it holds. */
export function promptKeychain(): KeychainFactory {
  const create = keychain();
  return (components) => {
    const chain = create(components);
    const exportKey = chain.exportKey.bind(chain);
    chain.exportKey = async (name) => {
      const keys = await chain.listKeys();
      if (!keys.some((key) => key.name === name)) throw new NotFoundError(`there is no key ${name}`);
      return exportKey(name);
    };
    return chain;
  };
}
