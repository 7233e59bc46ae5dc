import type { FastifyInstance } from 'fastify';
import type { OpsRoute, PortalRoute, Route } from '../../lib/route.ts';
import { API_PREFIX, OPS_PREFIX, PORTAL_PREFIX } from '../server.ts';
import { assetOf, lazily, readReferenceScript, sendAsset } from './docs-assets.ts';
import { errorsPage } from './docs-errors.ts';
import { openApiDocument } from './openapi.ts';
import { opsOpenApiDocument } from './ops-openapi.ts';
import { PLAIN_PAGE_HEADERS } from './plain-page.ts';
import { portalOpenApiDocument } from './portal-openapi.ts';
import { shopOpenApiDocument } from './shop-openapi.ts';
import { WALK_THROUGHS, walkThroughHtml } from './walk-throughs.ts';

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** The page draws and styles itself by script; it loads from and connects to this service alone. */
const REFERENCE_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Mounts the documents that need no token (decisions, "Contract in the open").
 * The OpenAPI documents of the three APIs and of what shops call, the reference page of the public one, the page of
 * errors and the walk-throughs. Each is made on its first request. Nothing needs the internet.
 */
export function mountDocs<Ctx>(
  app: FastifyInstance,
  {
    api,
    ops,
    portal,
  }: {
    readonly api: readonly Route<Ctx>[];
    readonly ops: readonly OpsRoute<Ctx>[];
    readonly portal: readonly PortalRoute<Ctx>[];
  },
): void {
  const pages = [
    {
      url: `${API_PREFIX}/openapi.json`,
      asset: lazily(() => assetOf('application/json', JSON.stringify(openApiDocument(api)))),
      headers: {},
    },
    {
      url: `${OPS_PREFIX}/openapi.json`,
      asset: lazily(() => assetOf('application/json', JSON.stringify(opsOpenApiDocument(ops)))),
      headers: {},
    },
    {
      url: `${PORTAL_PREFIX}/openapi.json`,
      asset: lazily(() => assetOf('application/json', JSON.stringify(portalOpenApiDocument(portal)))),
      headers: {},
    },
    {
      url: '/channels/openapi.json',
      asset: lazily(() => assetOf('application/json', JSON.stringify(shopOpenApiDocument()))),
      headers: {},
    },
    {
      url: '/docs',
      asset: lazily(() => assetOf(HTML, REFERENCE_PAGE)),
      headers: { 'content-security-policy': REFERENCE_POLICY },
    },
    { url: '/docs/start.js', asset: lazily(() => assetOf(SCRIPT, START_SCRIPT)), headers: {} },
    { url: '/docs/reference.js', asset: lazily(readReferenceScript), headers: {} },
    {
      url: '/docs/errors',
      asset: lazily(() => assetOf(HTML, errorsPage())),
      headers: PLAIN_PAGE_HEADERS,
    },
    ...WALK_THROUGHS.map((page) => ({
      url: page.url,
      asset: lazily(async () => assetOf(HTML, await walkThroughHtml(page))),
      headers: PLAIN_PAGE_HEADERS,
    })),
  ];
  for (const { url, asset, headers } of pages) {
    app.get(url, async (request, reply) => sendAsset(request, reply, await asset(), headers));
  }
}

const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Platen API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>
<h1>Platen API reference</h1>
<p>This page is drawn by a script. Without one, read the <a href="/api/v1/openapi.json">OpenAPI document</a> and the
<a href="/docs/errors">page of errors</a>.</p>
</noscript>
<div id="reference"></div>
<script src="/docs/reference.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** Languages of samples that are not shown: what helps is the client of this API, and curl. */
const HIDDEN_LANGUAGES = [
  ...['c', 'clojure', 'csharp', 'dart', 'fsharp', 'go', 'http', 'java', 'js', 'julia', 'kotlin', 'node', 'objc'],
  ...['ocaml', 'php', 'powershell', 'python', 'r', 'ruby', 'rust', 'swift', 'shell/httpie', 'shell/wget'],
];

/**
 * The page sends requests to this service alone, with the token that the reader pastes.
 * No proxy stands between. It keeps the token no longer than it is open: every token is live.
 */
const START_SCRIPT = `Scalar.createApiReference('#reference', ${JSON.stringify({
  url: '/api/v1/openapi.json',
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  hiddenClients: HIDDEN_LANGUAGES,
  authentication: { preferredSecurityScheme: 'bearer' },
  persistAuth: false,
  showDeveloperTools: 'never',
  documentDownloadType: 'json',
  mcp: { disabled: true },
  agent: { disabled: true },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
})});
`;
