import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { createContext, SourceTextModule } from 'node:vm';

/**
 * Runs the built client where there is nothing of Node.js: a context with the globals that every web runtime has, in
 * which an import of anything but the package's own files fails. Arguments: the folder of the build, a body, its
 * headers as JSON and the secret. Prints what the verifier and the client gave, as JSON. Needs
 * `--experimental-vm-modules`.
 */
const [folder = '', body = '', headers = '', secret = ''] = argv.slice(2);

const globals: Record<string, unknown> = {
  AbortController,
  AbortSignal,
  clearTimeout,
  crypto,
  Headers,
  Response,
  setTimeout,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  fetch: async (url: string) => Response.json({ id: url }),
  given: { body, headers, secret },
  report: undefined,
};
const context = createContext(globals);
const modules = new Map<string, SourceTextModule>();

function open(path: string): SourceTextModule {
  const known = modules.get(path);
  if (known !== undefined) return known;
  const module = new SourceTextModule(readFileSync(path, 'utf8'), { context, identifier: path });
  modules.set(path, module);
  return module;
}

const main = new SourceTextModule(
  `import { createClient, verifyWebhook } from './index.js';
   const { body, headers, secret } = given;
   const event = await verifyWebhook({ secret, headers: JSON.parse(headers), rawBody: body });
   const client = createClient({ token: 'pat_live_sample', baseUrl: 'https://print.example' });
   const order = await client.orders.get('PF-1');
   report = JSON.stringify({ event, order });`,
  { context, identifier: 'main' },
);
await main.link((specifier) => {
  if (!/^\.\/[a-z-]+\.js$/.test(specifier)) throw new Error(`the client imports ${specifier}`);
  return open(join(folder, specifier));
});
await main.evaluate();
process.stdout.write(String(globals.report));
