/**
 * Noise's cipher and key agreement for pages, ChaCha20-Poly1305 and X25519, by libsodium in WebAssembly. The JavaScript that
 * libp2p brings along took three times as long to cipher, a seventh of a download's processor time, and 130 ms of it for
 * the first handshake of a page, before the compiler knew it, where this takes 5. Made by start-node, handed to the
 * network. The hashes of handshakes stay libp2p's.
 */
import { type ICryptoInterface, pureJsCrypto } from "@libp2p/noise";

/** In JavaScript until libsodium is loaded, for which no connection waits, or for ever where it can't be. */
export function startNoiseCipher(onError: (error: unknown) => void): ICryptoInterface {
  let cipher: ICryptoInterface = pureJsCrypto;
  loadSodiumCipher().then((loaded) => {
    cipher = loaded;
  }, onError);
  return {
    ...pureJsCrypto,
    generateX25519KeyPair: () => cipher.generateX25519KeyPair(),
    generateX25519KeyPairFromSeed: (seed) => cipher.generateX25519KeyPairFromSeed(seed),
    generateX25519SharedKey: (own, theirs) => cipher.generateX25519SharedKey(own, theirs),
    chaCha20Poly1305Encrypt: (...message) => cipher.chaCha20Poly1305Encrypt(...message),
    chaCha20Poly1305Decrypt: (...message) => cipher.chaCha20Poly1305Decrypt(...message),
  };
}

export async function loadSodiumCipher(): Promise<ICryptoInterface> {
  const { default: sodium } = await import("libsodium-wrappers");
  await sodium.ready;
  const keyPair = (privateKey: Uint8Array) => ({
    privateKey,
    publicKey: sodium.crypto_scalarmult_base(privateKey),
  });
  return {
    ...pureJsCrypto,
    generateX25519KeyPair: () => keyPair(sodium.randombytes_buf(sodium.crypto_scalarmult_SCALARBYTES)),
    generateX25519KeyPairFromSeed: keyPair,
    generateX25519SharedKey: (own, theirs) => sodium.crypto_scalarmult(own.subarray(), theirs.subarray()),
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
