import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

// A stand-in for curl on machines without it: the options that the documents use, and no others. As the shell of
// the examples asks of curl, it ends with status 22 when it is answered 400 or more.

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    'fail-with-body': { type: 'boolean' },
    location: { type: 'boolean', short: 'L' },
    get: { type: 'boolean', short: 'G' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true },
    data: { type: 'string', short: 'd', multiple: true },
    'data-urlencode': { type: 'string', multiple: true },
    user: { type: 'string', short: 'u' },
    cookie: { type: 'string', short: 'b' },
    'cookie-jar': { type: 'string', short: 'c' },
    output: { type: 'string', short: 'o' },
    'write-out': { type: 'string', short: 'w' },
  },
});
const REDIRECTS_MAX = 10;

type Cookie = { readonly name: string; readonly value: string; readonly path: string };

const jar: Cookie[] = readJar(values.cookie);
const data = [...(values.data ?? []), ...(values['data-urlencode'] ?? []).map(encoded)].join('&');
const hasBody = data !== '' && values.get !== true;
const url = new URL(positionals[0] ?? '');
if (values.get === true) url.search = data;
const headers = new Headers((values.header ?? []).map((line) => line.split(/:\s*(.*)/s, 2) as [string, string]));
if (values.user !== undefined) headers.set('authorization', `Basic ${btoa(values.user)}`);
if (hasBody && !headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded');

let at = url.href;
let answer = await send(values.request ?? (hasBody ? 'POST' : 'GET'), hasBody ? data : undefined);
for (let hops = 0; values.location === true && redirectOf(answer) !== '' && hops < REDIRECTS_MAX; hops += 1) {
  at = redirectOf(answer);
  answer = await send('GET', undefined);
}
const body = Buffer.from(await answer.arrayBuffer());
if (values.output === undefined) process.stdout.write(body);
else writeFileSync(values.output, body);
process.stdout.write(
  (values['write-out'] ?? '').replaceAll(/%\{(\w+)\}|\\n/g, (word, name: string | undefined) => {
    if (name === undefined) return '\n';
    if (name === 'http_code') return String(answer.status);
    if (name === 'url_effective') return at;
    if (name === 'redirect_url') return redirectOf(answer);
    throw new Error(`the stand-in for curl does not know ${word}`);
  }),
);
if (values['cookie-jar'] !== undefined) writeFileSync(values['cookie-jar'], JSON.stringify(jar));
if (answer.status >= 400) process.exitCode = 22;

async function send(method: string, sent: string | undefined): Promise<Response> {
  const { pathname } = new URL(at);
  const cookies = jar.filter(({ path }) => pathname.startsWith(path)).map(({ name, value }) => `${name}=${value}`);
  const own = new Headers(headers);
  if (sent === undefined) own.delete('content-type');
  if (cookies.length > 0) own.set('cookie', cookies.join('; '));
  const response = await fetch(at, { method, headers: own, redirect: 'manual', body: sent ?? null });
  for (const line of response.headers.getSetCookie()) keep(line);
  return response;
}

function keep(line: string): void {
  const [pair = '', ...attributes] = line.split(/; */);
  const name = pair.slice(0, pair.indexOf('='));
  const path = attributes.find((part) => part.toLowerCase().startsWith('path='))?.slice('path='.length) ?? '/';
  const known = jar.findIndex((cookie) => cookie.name === name && cookie.path === path);
  if (known >= 0) jar.splice(known, 1);
  if (!line.includes('expires=Thu, 01 Jan 1970')) jar.push({ name, value: pair.slice(name.length + 1), path });
}

function readJar(file: string | undefined): Cookie[] {
  try {
    return file === undefined ? [] : (JSON.parse(readFileSync(file, 'utf8')) as Cookie[]);
  } catch {
    return []; // The first request makes it.
  }
}

function encoded(pair: string): string {
  const name = pair.slice(0, pair.indexOf('='));
  return `${name}=${encodeURIComponent(pair.slice(name.length + 1))}`;
}

function redirectOf(response: Response): string {
  const location = response.headers.get('location');
  return location === null ? '' : new URL(location, at).href;
}
