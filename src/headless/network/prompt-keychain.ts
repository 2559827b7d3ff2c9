/**
 * libp2p's keychain, which says at once that it has no such key: the library takes up to a second for that, as if somebody
 * guessed, and a first start, whose WebRTC-direct asks for its certificate's, waited for it. Called by open-network.
 *
 * A key is there where its `/pkcs8/` is, by which the library refuses to make another: a process that ends in between may have
 * kept it without the `/info/` by which it is listed.
 */
import { NotFoundError } from "@libp2p/interface";
import { keychain } from "@libp2p/keychain";
import { Key } from "interface-datastore";
import type { KeychainFactory } from "../../network/libp2p-node.ts";

/** Keys are encrypted without a password: the data folder guards what it holds. */
export function promptKeychain(): KeychainFactory {
  const create = keychain();
  return (components) => {
    const chain = create(components);
    const exportKey = chain.exportKey.bind(chain);
    chain.exportKey = async (name) => {
      const isKept = await components.datastore.has(new Key(`/pkcs8/${name}`));
      if (!isKept) throw new NotFoundError(`there is no key ${name}`);
      return exportKey(name);
    };
    return chain;
  };
}
