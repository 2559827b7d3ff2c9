/**
 * Noise's cipher for pages, ChaCha20-Poly1305, by libsodium in WebAssembly: three times as fast as the JavaScript that libp2p
 * brings along, which took a seventh of a download's processor time. Made by start-node, handed to the network. What
 * handshakes need beside it stays libp2p's.
 */
import { type ICryptoInterface, pureJsCrypto } from "@libp2p/noise";

/** Ciphers in JavaScript until libsodium is loaded, for which no connection waits, or for ever where it can't be. */
export function startNoiseCipher(onError: (error: unknown) => void): ICryptoInterface {
  let cipher: ICryptoInterface = pureJsCrypto;
  loadSodiumCipher().then((loaded) => {
    cipher = loaded;
  }, onError);
  return {
    ...pureJsCrypto,
    chaCha20Poly1305Encrypt: (...message) => cipher.chaCha20Poly1305Encrypt(...message),
    chaCha20Poly1305Decrypt: (...message) => cipher.chaCha20Poly1305Decrypt(...message),
  };
}

export async function loadSodiumCipher(): Promise<ICryptoInterface> {
  const { default: sodium } = await import("libsodium-wrappers");
  await sodium.ready;
  return {
    ...pureJsCrypto,
    chaCha20Poly1305Encrypt: (text, nonce, associated, key) =>
      sodium.crypto_aead_chacha20poly1305_ietf_encrypt(text.subarray(), associated, null, nonce, key),
    chaCha20Poly1305Decrypt(sealed, nonce, associated, key, into) {
      const text = sodium.crypto_aead_chacha20poly1305_ietf_decrypt(
        null,
        sealed.subarray(),
        associated,
        nonce,
        key,
      );
      if (into === undefined) return text;
      into.set(text);
      return into;
    },
  };
}
