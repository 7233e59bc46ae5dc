import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** A request to the library. Only these members reach it. */
export type OAuthRequest = {
  readonly method: 'GET' | 'POST';
  /** The path from the first slash on, with the query. */
  readonly path: string;
  readonly cookie?: string | undefined;
  readonly authorization?: string | undefined;
  /** Form encoded. */
  readonly form?: string;
};

/** The library's answer, with only these headers. */
export type OAuthResponse = {
  readonly status: number;
  readonly location: string | undefined;
  readonly cookies: readonly string[];
  readonly challenge: string | undefined;
  /** Parsed when it is JSON. */
  readonly body: unknown;
};

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Runs a Node.js handler on a request that has no connection.
 * A request that fails in the database can therefore run again, and its answer is sent like any other.
 * `origin` is the address of the service, whatever host the client has named.
 */
export function exchange(handler: Handler, oauthRequest: OAuthRequest, origin: URL): Promise<OAuthResponse> {
  const { request, response } = unconnected(oauthRequest, origin);
  return new Promise((resolve, reject) => {
    const end = (body?: unknown): ServerResponse => {
      resolve(readAnswer(response, body));
      return response;
    };
    // The library writes its whole answer at once, at the very end.
    Object.assign(response, { end });
    handler(request, response).catch(reject);
  });
}

/** Makes a request and its response without a connection. */
export function unconnected(
  oauthRequest: OAuthRequest,
  origin: URL,
): { request: IncomingMessage; response: ServerResponse } {
  const request = new IncomingMessage(new Socket());
  const headers: Record<string, string | undefined> = {
    host: origin.host,
    'x-forwarded-proto': origin.protocol.replace(':', ''),
    // Errors come as data; our own code makes the pages.
    accept: 'application/json',
    cookie: oauthRequest.cookie,
    authorization: oauthRequest.authorization,
  };
  if (oauthRequest.form !== undefined) {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    headers['content-length'] = String(Buffer.byteLength(oauthRequest.form));
    request.push(oauthRequest.form);
  }
  request.push(null);
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  Object.assign(request, { method: oauthRequest.method, url: oauthRequest.path, headers: Object.fromEntries(given) });
  return { request, response: new ServerResponse(request) };
}

function readAnswer(response: ServerResponse, body: unknown): OAuthResponse {
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
