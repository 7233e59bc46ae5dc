import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** What `seal` makes: the bytes to store, and the id of their key to store beside them. */
export type Sealed = { readonly bytes: Buffer; readonly keyId: string };

/** A sealed value as it is stored; null where its key was not noted. */
export type StoredSeal = { readonly bytes: Buffer; readonly keyId: string | null };

/**
 * The uses of SECRET_KEY.
 * It seals what must be read again, signs what leaves the service, and digests what is only compared. All is made with
 * the present key; what a former key of SECRET_KEY_OLD made can still be opened, verified and compared.
 */
export type Secrets = {
  /** The id of the present key, which tells nothing of it. */
  readonly keyId: string;
  /** The ids of all keys that are set, the present one first. */
  readonly keyIds: readonly string[];
  /** Encrypts a short text for storage (AES-256-GCM; nonce, tag and ciphertext in one). */
  readonly seal: (text: string) => Sealed;
  /** The text of `seal`; throws `NotOpened` when the bytes were changed or their key is not set. */
  readonly unseal: (stored: StoredSeal) => string;
  /** The id of the key that opens some bytes; undefined when none of those that are set does. */
  readonly keyOf: (bytes: Buffer) => string | undefined;
  /** A URL-safe signature of a text for one purpose. */
  readonly sign: (text: string) => string;
  /** The signatures of a text by all keys, the present one first. */
  readonly everySignature: (text: string) => readonly string[];
  /** Compares with the signature by each key, in constant time. */
  readonly verify: (text: string, signature: string) => boolean;
  /** A keyed digest of 32 bytes: says later whether a text was the same, without keeping it. */
  readonly digest: (text: string) => Buffer;
  /** The digests by all keys, the present one first: for what is compared with what was stored earlier. */
  readonly everyDigest: readonly ((text: string) => Buffer)[];
};

/** A sealed value cannot be opened; the message says what to do, and holds nothing of the value. */
export class NotOpened extends Error {
  override name = 'NotOpened';
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 6;

/** The keys derived from one SECRET_KEY. */
type Key = {
  readonly id: string;
  readonly seal: (text: string) => Buffer;
  /** Undefined when the bytes were changed or are of another key. */
  readonly open: (bytes: Buffer) => string | undefined;
  readonly sign: (text: string) => string;
  readonly digest: (text: string) => Buffer;
};

/** Makes the uses of the present key, and of the former ones that can still be read. */
export function createSecrets(secretKey: string, former: readonly string[] = []): Secrets {
  const present = deriveKey(secretKey);
  const keys = [present, ...former.filter((each) => each !== secretKey).map(deriveKey)];
  const byId = new Map(keys.map((key) => [key.id, key]));
  const opened = (bytes: Buffer, candidates: readonly Key[]): { text: string; keyId: string } | undefined => {
    for (const { id, open } of candidates) {
      const text = open(bytes);
      if (text !== undefined) return { text, keyId: id };
    }
    return undefined;
  };
  return {
    keyId: present.id,
    keyIds: [...byId.keys()],
    seal: (text) => ({ bytes: present.seal(text), keyId: present.id }),
    unseal: ({ bytes, keyId }) => {
      const noted = byId.get(keyId ?? '');
      // The noted key opens at the first try. The others are tried for what a version wrote that notes none.
      const found = opened(bytes, noted === undefined ? keys : [noted, ...keys.filter((key) => key !== noted)]);
      if (found === undefined) throw new NotOpened(notOpened(keyId, noted !== undefined));
      return found.text;
    },
    keyOf: (bytes) => opened(bytes, keys)?.keyId,
    sign: present.sign,
    everySignature: (text) => keys.map((key) => key.sign(text)),
    verify: (text, signature) => {
      const given = Buffer.from(signature);
      return keys.some((key) => {
        const expected = Buffer.from(key.sign(text));
        return expected.length === given.length && timingSafeEqual(expected, given);
      });
    },
    digest: present.digest,
    everyDigest: keys.map((key) => key.digest),
  };
}

/** The id of a key: tells keys apart, and tells nothing of them. */
export function secretKeyId(secretKey: string): string {
  return derive(secretKey, 'id', ID_BYTES).toString('hex');
}

/** Derives a key for each use from SECRET_KEY (HKDF, RFC 5869), so that no use weakens another. */
function deriveKey(secretKey: string): Key {
  const sealing = createSecretKey(derive(secretKey, 'seal'));
  // A key object: given as bytes, the key would be prepared anew for each signature, at seven times the cost.
  const signing = createSecretKey(derive(secretKey, 'sign'));
  const digesting = createSecretKey(derive(secretKey, 'digest'));
  return {
    id: secretKeyId(secretKey),
    seal: (text) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    open: (bytes) => {
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8');
      try {
        return text + decipher.final('utf8');
      } catch {
        // The tag does not fit.
        return undefined;
      }
    },
    sign: (text) => createHmac('sha256', signing).update(text).digest('base64url'),
    digest: (text) => createHmac('sha256', digesting).update(text).digest(),
  };
}

function derive(secretKey: string, use: string, bytes = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, 'platen', use, bytes));
}

function notOpened(keyId: string | null, isSet: boolean): string {
  if (isSet) return `a value sealed with key ${keyId} was changed since: restore it from a backup`;
  const which = keyId === null ? 'a key that is not set' : `key ${keyId}, which is not set`;
  return `a value is sealed with ${which}: add that key to SECRET_KEY_OLD (platen secrets status)`;
}
