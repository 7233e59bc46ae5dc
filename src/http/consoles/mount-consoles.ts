import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { notFound } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { type BuiltConsole, CODINGS, type Coding, type ConsoleFile, readBuiltConsole } from './built-console.ts';

const BUILT = new URL('../../../built/', import.meta.url);

/** The consoles for people: the folder of `built/` and the first word of the address. */
const CONSOLES = ['portal'] as const;

/** A file is named by its content, so its bytes never change. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Where the built consoles are, and the origins that their pages use beside their own. */
type ConsoleOptions = {
  readonly built?: URL;
  /** That of the drop or its bucket: the one other that a page sends to. */
  readonly dropOrigin?: string | undefined;
  /** That of BASE_URL, which the addresses of pictures begin with. */
  readonly baseUrl?: string | undefined;
};

type Origins = Pick<ConsoleOptions, 'dropOrigin' | 'baseUrl'>;

/**
 * Mounts the consoles that were built: a page under each path of a console, and its files.
 * The page is made for each request, with a nonce for the styles that its components write, and no cache keeps it.
 * Whatever stands under `/portal/api/` or `/portal/assets/` and is unknown is 404 and never the page. A console that
 * was not built is logged with the command that builds it, and is not there.
 */
export function mountConsoles(
  app: FastifyInstance,
  log: Log,
  { built = BUILT, ...origins }: ConsoleOptions = {},
): void {
  for (const name of CONSOLES) {
    const console = readBuiltConsole(new URL(`${name}/`, built));
    if (console === undefined) log.warn({ console: name }, `the ${name} is not built: \`npm run prepare\` builds it`);
    else mountConsole(app, `/${name}`, console, origins);
  }
}

function mountConsole(app: FastifyInstance, prefix: string, console: BuiltConsole, origins: Origins): void {
  const sendPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const nonce = randomBytes(16).toString('base64url');
    return reply
      .header('content-security-policy', policyOf(nonce, request.headers.host, origins))
      .type('text/html; charset=utf-8')
      .send(console.page(nonce));
  };
  app.get(prefix, sendPage);
  app.get<{ Params: { '*': string } }>(`${prefix}/*`, { config: { takesRest: true } }, (request, reply) => {
    if (!/^(api|assets)(\/|$)/.test(request.params['*'])) return sendPage(request, reply);
    reply.callNotFound();
    return reply;
  });
  app.get<{ Params: { name: string } }>(`${prefix}/assets/:name`, async (request, reply) => {
    const file = console.files.get(request.params.name);
    if (file === undefined) throw notFound();
    return await sendFile(request, reply, file);
  });
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): Promise<FastifyReply> {
  reply.headers({ etag: file.etag, 'cache-control': FOR_EVER, vary: 'Accept-Encoding' });
  if (request.headers['if-none-match']?.includes(file.etag) === true) return reply.code(304).send();
  const coding = codingFor(request);
  if (coding !== 'identity') reply.header('content-encoding', coding);
  const bytes = await file.read(coding);
  return reply.header('content-type', file.type).header('content-length', bytes.length).send(bytes);
}

/** The smallest coding that the client takes; a client that takes none of them gets the file as it is. */
function codingFor(request: FastifyRequest): Coding {
  const accepted = new Negotiator(request).encodings([...CODINGS]);
  return CODINGS.find((coding) => accepted.includes(coding)) ?? 'identity';
}

/**
 * The page loads from this service, connects to it and the drop, and runs nothing that stands in it.
 * One that is asked for by another name of this service, such as `localhost`, has its pictures from that of BASE_URL.
 */
function policyOf(nonce: string, host: string | undefined, { dropOrigin, baseUrl }: Origins): string {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  const pictures = base === undefined || base.host === host ? '' : ` ${base.origin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data:${pictures}`,
    "font-src 'self'",
    `connect-src 'self'${dropOrigin === undefined ? '' : ` ${dropOrigin}`}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
