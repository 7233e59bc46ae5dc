import type { FastifyInstance } from 'fastify';
import { PLAIN_PAGE_HEADERS, plainPageHtml } from './contract/plain-page.ts';
import { WALK_THROUGHS } from './contract/walk-throughs.ts';
import { PLATEN_VERSION } from './platen-version.ts';
import { prefersMediaType } from './prefers-media-type.ts';
import { sendJson } from './request-state.ts';

/** What a client reads at `/`. Addresses are relative to it, as `type` of an error is. */
const DESCRIPTION = {
  name: 'Platen',
  version: PLATEN_VERSION,
  documentation: '/docs',
  openapi: '/api/v1/openapi.json',
  health: '/healthz',
};

/** The consoles for people; one is listed once it is mounted. */
const CONSOLES: readonly (readonly [path: string, text: string])[] = [
  ['/portal', 'Portal for customers'],
  ['/ops', 'Console of the print shop'],
];

/**
 * Mounts `/` (operating, "Addresses"): a page for a browser, JSON for any other client.
 * It says what this service is, whether it is a sandbox, and where its documents, consoles and health are. Needs no
 * token.
 */
export function mountFrontPage(app: FastifyInstance, { isSandbox }: { readonly isSandbox: boolean }): void {
  const description = JSON.stringify({ ...DESCRIPTION, sandbox: isSandbox });
  let html: string | undefined;
  app.get('/', async (request, reply) => {
    reply.header('vary', 'Accept');
    if (!prefersMediaType(request.headers.accept, 'text/html')) {
      sendJson(reply, { status: 200, text: description });
      return;
    }
    // Made on the first request, when every route is mounted.
    const consoles = CONSOLES.filter(([url]) => app.hasRoute({ method: 'GET', url }));
    html ??= frontPage({ consoles, notice: isSandbox ? SANDBOX_NOTICE : '' });
    await reply.headers(PLAIN_PAGE_HEADERS).type('text/html; charset=utf-8').send(html);
  });
}

const SANDBOX_NOTICE =
  '<p><strong>This is a sandbox</strong>: nothing is made, sent or charged. Orders walk on by themselves.</p>\n';

function frontPage({ consoles, notice }: { readonly consoles: typeof CONSOLES; readonly notice: string }): string {
  const body = `<h1>Platen</h1>
${notice}<p>Print-on-demand order fulfilment: this service prices orders, charges accounts, makes print-ready files, follows
production and shipping, and reports each step by signed webhook. Version ${PLATEN_VERSION}.</p>
${consoles.length === 0 ? '' : section('Sign in', consoles)}${section('For developers', [
  ['/docs', 'API reference, with a form to try each call'],
  ['/docs/errors', 'Errors, with cause and cure'],
  ...WALK_THROUGHS.map(({ url, text }) => [url, text] as const),
  ['/api/v1/openapi.json', 'OpenAPI document of the API'],
  ['/ops/v1/openapi.json', 'OpenAPI document of the operations API'],
  ['/portal/api/v1/openapi.json', 'OpenAPI document of what only the portal has'],
  ['/channels/openapi.json', 'OpenAPI document of what connected shops call'],
])}${section('Health', [
  ['/healthz', 'Is it alive?'],
  ['/readyz', 'Is it ready for requests?'],
])}`;
  return plainPageHtml({ title: 'Platen', body });
}

function section(title: string, links: readonly (readonly [url: string, text: string])[]): string {
  const items = links.map(([url, text]) => `<li><a href="${url}">${text}</a></li>`).join('\n');
  return `<h2>${title}</h2>\n<ul>\n${items}\n</ul>\n`;
}
