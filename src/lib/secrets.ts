import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/**
 * The uses of SECRET_KEY.
 * It seals what must be read again, signs what leaves the service, and digests what is only compared.
 */
export type Secrets = {
  /** Encrypts a short text for storage (AES-256-GCM; nonce, tag and ciphertext in one). */
  readonly seal: (text: string) => Buffer;
  /** The text of `seal`; throws when the bytes were changed or sealed with another key. */
  readonly unseal: (sealed: Buffer) => string;
  /** A URL-safe signature of a text for one purpose. */
  readonly sign: (text: string) => string;
  /** Compares in constant time. */
  readonly verify: (text: string, signature: string) => boolean;
  /** A keyed digest of 32 bytes: says later whether a text was the same, without keeping it. */
  readonly digest: (text: string) => Buffer;
};

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derives a key for each use from SECRET_KEY (HKDF, RFC 5869), so that no use weakens another. */
export function createSecrets(secretKey: string): Secrets {
  const derive = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secretKey, 'platen', use, 32));
  const sealing = derive('seal');
  // A key object: given as bytes, the key would be prepared anew for each signature, at seven times the cost.
  const signing = createSecretKey(derive('sign'));
  const digesting = createSecretKey(derive('digest'));
  const sign = (text: string): string => createHmac('sha256', signing).update(text).digest('base64url');
  return {
    seal: (text) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    unseal: (sealed) => {
      const decipher = createDecipheriv('aes-256-gcm', sealing, sealed.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    },
    sign,
    verify: (text, signature) => {
      const expected = Buffer.from(sign(text));
      const given = Buffer.from(signature);
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
    digest: (text) => createHmac('sha256', digesting).update(text).digest(),
  };
}
