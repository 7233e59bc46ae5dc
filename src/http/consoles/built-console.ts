import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** The codings that the build leaves beside each file, best first, and how their files end. */
const ENDINGS = { br: '.br', gzip: '.gz', identity: '' } as const;
export type Coding = keyof typeof ENDINGS;
export const CODINGS = Object.keys(ENDINGS) as readonly Coding[];

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** A file that is named by its content; `read` keeps the bytes for the next request. */
export type ConsoleFile = {
  readonly type: string;
  readonly etag: string;
  readonly read: (coding: Coding) => Promise<Buffer>;
};

/** A console as `consoles/build.js` left it. */
export type BuiltConsole = {
  /** The page with this nonce in place of its mark, which the build leaves once. */
  readonly page: (nonce: string) => string;
  /**
   * By the name below `assets/`.
   * What is not in here does not exist: no path is made of a request's text.
   */
  readonly files: ReadonlyMap<string, ConsoleFile>;
};

/** Stands in the page where its nonce goes. */
const NONCE_MARK = '__NONCE__';

/**
 * Reads a console that was built into a folder; undefined when none was.
 * Throws for a page without its mark, and for a file of an unknown type.
 */
export function readBuiltConsole(folder: URL): BuiltConsole | undefined {
  const index = new URL('index.html', folder);
  if (!existsSync(index)) return undefined;
  const [before = '', after, ...more] = readFileSync(index, 'utf8').split(NONCE_MARK);
  if (after === undefined || more.length > 0) throw new Error(`${index.pathname} must have one ${NONCE_MARK}`);
  const assets = new URL('assets/', folder);
  const names = readdirSync(assets).filter((name) => !/\.(br|gz)$/.test(name));
  return {
    page: (nonce) => before + nonce + after,
    files: new Map(names.map((name) => [name, fileOf(assets, name)])),
  };
}

function fileOf(folder: URL, name: string): ConsoleFile {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
  if (type === undefined) throw new Error(`the console has ${name}, whose media type is not known`);
  const kept = new Map<Coding, Promise<Buffer>>();
  return {
    type,
    // Weak: the name says the content, the bytes differ by coding.
    etag: `W/"${createHash('sha256').update(name).digest('base64url').slice(0, 22)}"`,
    read: (coding) => {
      const bytes = kept.get(coding) ?? readFile(new URL(name + ENDINGS[coding], folder));
      kept.set(coding, bytes);
      bytes.catch(() => kept.delete(coding));
      return bytes;
    },
  };
}
