import { ConfigError, type Form, origin, wholeNumber } from './forms.ts';

const DROP = 'The drop: where people of the portal leave pictures. `DROP_URL` or a bucket, not both';

/** A bucket of an S3 store: https, with the bucket in the host or as the one word of the path. */
const bucketAddress: Form<string> = {
  bounds: 'https, with the bucket in the host or as the path',
  read: (text, name) => {
    const url = URL.parse(text);
    const isBare = url !== null && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
    // Such a name is the same in a path and in a signature, however it is encoded.
    if (isBare && url.protocol === 'https:' && /^\/(?:[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\/?)?$/.test(url.pathname)) {
      return url.origin + url.pathname.replace(/\/$/, '');
    }
    // The text may hold a password.
    throw new ConfigError(`${name} must be a bucket by https, such as https://drop-print.s3.eu-west-2.amazonaws.com`);
  },
};

const region: Form<string> = {
  bounds: 'small letters, digits and hyphens',
  read: (text, name) => {
    if (/^[a-z0-9-]{1,32}$/.test(text)) return text;
    throw new ConfigError(`${name} must be the region of the bucket, such as eu-west-2, and is "${text}"`);
  },
};

const prefix: Form<string> = {
  bounds: 'up to 100 letters, digits, `.`, `_`, `-` and `/`, with `/` at the end',
  read: (text, name) => {
    if (text.length <= 100 && /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)+$/.test(text)) return text;
    throw new ConfigError(`${name} must end with "/" and have words of letters and digits between, and is "${text}"`);
  },
};

const keyOfStore: Form<string> = {
  bounds: 'the key as the store shows it',
  read: (text, name) => {
    if (/^[\x21-\x7e]{1,256}$/.test(text)) return text;
    throw new ConfigError(`${name} must be the key as the store shows it`);
  },
};

/** The settings of the drop: a part of the one table of settings. */
export const DROP_SETTINGS = {
  dropUrl: {
    name: 'DROP_URL',
    group: DROP,
    form: origin,
    defaultText: 'none; `npm start` starts one for this machine',
    means:
      'The https origin of `platen drop`, where people of the portal leave pictures for 24 hours; another than that of `BASE_URL`. Unset, and no bucket: no files are taken.',
    example: 'https://drop.print.example',
  },
  dropPort: {
    name: 'DROP_PORT',
    group: DROP,
    form: wholeNumber(0, 65_535),
    default: '8081',
    means: 'The port that `platen drop` listens on, at `HOST`. 0 picks a free one.',
  },
  dropS3Url: {
    name: 'DROP_S3_URL',
    group: DROP,
    form: bucketAddress,
    means:
      'A bucket in place of `platen drop`, to which the pages send pictures by signed addresses. Needs both keys. Read [A bucket for dropped files](#a-bucket-for-dropped-files) before you set it.',
    example: 'https://drop-print.s3.eu-west-2.amazonaws.com',
  },
  dropS3Region: {
    name: 'DROP_S3_REGION',
    group: DROP,
    form: region,
    default: 'us-east-1',
    means: 'The region of that bucket, as requests to it are signed.',
    example: 'eu-west-2',
  },
  dropS3Prefix: {
    name: 'DROP_S3_PREFIX',
    group: DROP,
    form: prefix,
    default: 'drop/',
    means: 'What the keys of the files begin with in that bucket.',
  },
  dropS3KeyId: {
    name: 'DROP_S3_ACCESS_KEY_ID',
    group: DROP,
    form: keyOfStore,
    means: 'The id of a key that may put and get objects under the prefix, and nothing else but look at the lifecycle.',
    example: '',
  },
  dropS3Secret: {
    name: 'DROP_S3_SECRET_ACCESS_KEY',
    group: DROP,
    form: keyOfStore,
    means: 'That key’s secret.',
    example: '',
  },
} as const;

/** Set, they do nothing without `DROP_S3_URL`. */
export const BUCKET_NAMES: readonly string[] = [
  'DROP_S3_REGION',
  'DROP_S3_PREFIX',
  'DROP_S3_ACCESS_KEY_ID',
  'DROP_S3_SECRET_ACCESS_KEY',
];

/** A bucket that people of the portal leave pictures in, and the key that signs its addresses. */
export type DropBucket = {
  /** Without a slash at the end. */
  readonly url: string;
  readonly region: string;
  /** With a slash at the end. */
  readonly prefix: string;
  readonly keyId: string;
  readonly secret: string;
};

type Given = {
  readonly dropUrl: string | undefined;
  readonly dropS3Url: string | undefined;
  readonly dropS3Region: string;
  readonly dropS3Prefix: string;
  readonly dropS3KeyId: string | undefined;
  readonly dropS3Secret: string | undefined;
};

/**
 * The bucket of the settings.
 * Throws a `ConfigError` where its settings do not fit together, or those of the drop.
 */
export function readDropBucket(given: Given, baseUrl: string | undefined): DropBucket | undefined {
  refuseDropUrl(given.dropUrl, baseUrl);
  const { dropS3Url: url, dropS3Region: signedFor, dropS3Prefix: begin, dropS3KeyId: keyId, dropS3Secret } = given;
  if (url === undefined) return undefined;
  if (given.dropUrl !== undefined) throw new ConfigError('DROP_URL and DROP_S3_URL must not both be set; unset one');
  if (new URL(url).origin === baseUrl) throw new ConfigError('DROP_S3_URL must be another origin than BASE_URL');
  if (keyId === undefined || dropS3Secret === undefined) {
    throw new ConfigError('DROP_S3_URL needs DROP_S3_ACCESS_KEY_ID and DROP_S3_SECRET_ACCESS_KEY beside it');
  }
  return { url, region: signedFor, prefix: begin, keyId, secret: dropS3Secret };
}

/** A file of a customer on the origin of the pages could act as one of them. */
function refuseDropUrl(dropUrl: string | undefined, baseUrl: string | undefined): void {
  if (dropUrl === undefined) return;
  if (!dropUrl.startsWith('https://')) throw new ConfigError(`DROP_URL must be https, and is "${dropUrl}"`);
  if (dropUrl === baseUrl) throw new ConfigError('DROP_URL must be another origin than BASE_URL');
}
