import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Authority } from './authority.ts';

/** What of a bucket a test may change at any time. */
export type BucketState = {
  /** Origins that its CORS rules allow to PUT. */
  origins: string[];
  allowedHeaders: string[];
  /** The rules of its lifecycle as XML; undefined: it has none. */
  lifecycle: string | undefined;
  /** What it answers instead to the next PUTs, the first taken away each time. */
  failures: number[];
  /** Added to the machine's time. */
  aheadMs: number;
};

export type Bucket = {
  readonly port: number;
  readonly hostPort: string;
  readonly url: string;
  readonly state: BucketState;
  /** Whole, by key. */
  readonly objects: ReadonlyMap<string, { readonly bytes: Buffer; readonly type: string }>;
  /** Requests with what they were answered, oldest first, without their queries. */
  readonly answers: readonly string[];
  /** The settings that name it. */
  readonly env: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
};

export const BUCKET_KEY_ID = 'AKIDEXAMPLE';
export const BUCKET_SECRET = 'a-secret-of-the-tests/with+signs';
const REGION = 'eu-west-2';
const NAME = 'prints';
export const DAILY =
  '<Rule><ID>drop</ID><Filter><Prefix>drop/</Prefix></Filter><Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule>';

/**
 * An S3 store on this machine with one bucket, by https.
 * It takes signed addresses alone, and reckons their signatures by itself, as the store's maker describes them: from
 * the request that has come, so a header that is signed and was sent otherwise is refused.
 */
export async function startBucket(authority: Authority): Promise<Bucket> {
  const state: BucketState = {
    origins: [],
    allowedHeaders: ['content-type', 'if-none-match'],
    lifecycle: DAILY,
    failures: [],
    aheadMs: 0,
  };
  const objects = new Map<string, { bytes: Buffer; type: string }>();
  const answers: string[] = [];
  const server = createServer(
    authority.issue({ hostnames: ['localhost'], ips: ['127.0.0.1'] }),
    (request, response) => {
      response.on('close', () => {
        answers.push(
          `${request.method} ${(request.url ?? '').split('?')[0]} ${response.writableEnded ? response.statusCode : 0}`,
        );
      });
      answerTo(request, response, state, objects).catch(() => response.destroy());
    },
  );
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const hostPort = `127.0.0.1:${port}`;
  return {
    port,
    hostPort,
    url: `https://${hostPort}/${NAME}`,
    state,
    objects,
    answers,
    env: {
      DROP_S3_URL: `https://${hostPort}/${NAME}`,
      DROP_S3_REGION: REGION,
      DROP_S3_ACCESS_KEY_ID: BUCKET_KEY_ID,
      DROP_S3_SECRET_ACCESS_KEY: BUCKET_SECRET,
      TRUSTED_PRIVATE_HOSTS: hostPort,
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answerTo(
  request: IncomingMessage,
  response: ServerResponse,
  state: BucketState,
  objects: Map<string, { bytes: Buffer; type: string }>,
): Promise<void> {
  const url = new URL(request.url ?? '/', `https://${request.headers.host}`);
  const key = decodeURIComponent(url.pathname.slice(NAME.length + 2));
  const { origin } = request.headers;
  if (origin !== undefined && state.origins.includes(origin)) {
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-methods', 'PUT');
    response.setHeader('access-control-allow-headers', state.allowedHeaders.join(', '));
  }
  const end = (status: number, text = ''): void => {
    response.writeHead(status, { 'content-type': 'application/xml' }).end(text);
  };
  const refuse = (status: number, code: string): void => end(status, `<Error><Code>${code}</Code></Error>`);
  if (request.method === 'OPTIONS') {
    if (origin === undefined || !state.origins.includes(origin)) return refuse(403, 'AccessForbidden');
    return end(200);
  }
  const flaw = flawOf(request, url, Date.now() + state.aheadMs);
  if (flaw !== undefined) return refuse(403, flaw);
  if (request.method === 'GET' && url.searchParams.has('lifecycle')) {
    if (state.lifecycle === undefined) return refuse(404, 'NoSuchLifecycleConfiguration');
    return end(200, `<LifecycleConfiguration>${state.lifecycle}</LifecycleConfiguration>`);
  }
  if (request.method === 'PUT') {
    const failure = state.failures.shift();
    if (failure !== undefined) return refuse(failure, 'SlowDown');
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    if (request.headers['if-none-match'] === '*' && objects.has(key)) return refuse(412, 'PreconditionFailed');
    objects.set(key, { bytes: Buffer.concat(parts), type: request.headers['content-type'] ?? '' });
    return end(200);
  }
  const found = objects.get(key);
  if (found === undefined) return refuse(404, 'NoSuchKey');
  response.writeHead(200, {
    'content-type': url.searchParams.get('response-content-type') ?? found.type,
    'content-disposition': url.searchParams.get('response-content-disposition') ?? 'inline',
    'content-length': found.bytes.length,
  });
  response.end(found.bytes);
}

/** Why a request is refused, as the store says it; undefined when its signature is right and its time lasts. */
function flawOf(request: IncomingMessage, url: URL, nowMs: number): string | undefined {
  // As it was sent: the signature is over the encoded text.
  const pairs = (request.url?.split('?')[1] ?? '').split('&').map((pair) => pair.split('=') as [string, string?]);
  const given = url.searchParams.get('X-Amz-Signature');
  if (given === null) return 'AccessDenied';
  const [at = '', names = '', credential = ''] = ['Date', 'SignedHeaders', 'Credential'].map(
    (name) => url.searchParams.get(`X-Amz-${name}`) ?? '',
  );
  const [keyId, ...scope] = credential.split('/');
  if (keyId !== BUCKET_KEY_ID) return 'InvalidAccessKeyId';
  if (scope.join('/') !== `${at.slice(0, 8)}/${REGION}/s3/aws4_request`) return 'AuthorizationQueryParametersError';
  const canonical = [
    request.method,
    request.url?.split('?')[0],
    pairs
      .filter(([name]) => name !== 'X-Amz-Signature')
      .map(([name, value = '']) => `${name}=${value}`)
      .toSorted()
      .join('&'),
    ...names.split(';').map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    names,
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  let secret: string | Buffer = `AWS4${BUCKET_SECRET}`;
  for (const part of scope) secret = createHmac('sha256', secret).update(part).digest();
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = `AWS4-HMAC-SHA256\n${at}\n${scope.join('/')}\n${digest}`;
  if (createHmac('sha256', secret).update(text).digest('hex') !== given) return 'SignatureDoesNotMatch';
  const signedMs = Date.parse(at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const seconds = Number(url.searchParams.get('X-Amz-Expires'));
  return nowMs > signedMs + seconds * 1_000 ? 'AccessDenied' : undefined;
}
