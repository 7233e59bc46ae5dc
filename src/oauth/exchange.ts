import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** A request as it is put to the library. Only what stands here reaches it. */
export type Asked = {
  readonly method: 'GET' | 'POST';
  /** From the first slash on, with the query. */
  readonly path: string;
  readonly cookie?: string | undefined;
  readonly authorization?: string | undefined;
  /** Form encoded. */
  readonly form?: string;
};

/** What the library answers, and nothing of its headers beyond this. */
export type Answered = {
  readonly status: number;
  readonly location: string | undefined;
  readonly cookies: readonly string[];
  readonly challenge: string | undefined;
  /** Parsed where it is JSON. */
  readonly body: unknown;
};

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Puts a request to a Node.js handler without a connection: so one that fails in the database can be put again, and the answer
 * goes out by the same door as every other. `origin` is how the world reaches the service, whatever host the client has named.
 */
export function exchange(handler: Handler, asked: Asked, origin: URL): Promise<Answered> {
  const { request, response } = unconnected(asked, origin);
  return new Promise((resolve, reject) => {
    const end = (body?: unknown): ServerResponse => {
      resolve(readAnswer(response, body));
      return response;
    };
    // The library writes its whole answer in one piece, at the very end.
    Object.assign(response, { end });
    handler(request, response).catch(reject);
  });
}

/** A request and its response that stand on no connection. */
export function unconnected(asked: Asked, origin: URL): { request: IncomingMessage; response: ServerResponse } {
  const request = new IncomingMessage(new Socket());
  const headers: Record<string, string | undefined> = {
    host: origin.host,
    'x-forwarded-proto': origin.protocol.replace(':', ''),
    // Errors come as data; pages are made elsewhere.
    accept: 'application/json',
    cookie: asked.cookie,
    authorization: asked.authorization,
  };
  if (asked.form !== undefined) {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    headers['content-length'] = String(Buffer.byteLength(asked.form));
    request.push(asked.form);
  }
  request.push(null);
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  Object.assign(request, { method: asked.method, url: asked.path, headers: Object.fromEntries(given) });
  return { request, response: new ServerResponse(request) };
}

function readAnswer(response: ServerResponse, body: unknown): Answered {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body.toString() : '';
  const type = textOf(response.getHeader('content-type')) ?? '';
  return {
    status: response.statusCode,
    location: textOf(response.getHeader('location')),
    cookies: [response.getHeader('set-cookie') ?? []].flat().map(String),
    challenge: textOf(response.getHeader('www-authenticate')),
    body: type.startsWith('application/json') && text !== '' ? JSON.parse(text) : text,
  };
}

function textOf(header: number | string | string[] | undefined): string | undefined {
  return header === undefined ? undefined : String(header);
}
