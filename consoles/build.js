// Builds the consoles into `built/`: the `prepare` script of an install. It runs under the Node.js that npm finds, and
// does nothing where Vite is not installed, as in an install without development packages.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Each is a folder here, a folder of `built/` and the first word of its address. */
const CONSOLES = ['portal'];

/** What pages of one folder share, and what is large and of few pages, by the name of its folder. */
const OF_FEW_PAGES =
  /[\\/]consoles[\\/](?:portal|shared)[\\/](?:(?<=portal[\\/])(\w[\w-]*)|address|canvas|deeds|items|personalisation|refunds|runs|sign-ins)[\\/]/;
/** The lists of items go with the pages of shops: the page of one has no request to spare for a file of theirs. */
const WITH = new Map([['items', 'shops']]);
/** @type {(id: string) => string | null} */
const folderOf = (id) => {
  const folder = id.split(/[\\/]/).at(-2) ?? null;
  return WITH.get(folder) ?? folder;
};

const vite = await import('vite').catch((error) => {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
  throw error;
});
if (vite !== undefined) for (const name of CONSOLES) await build(name);

async function build(name) {
  const beganMs = performance.now();
  process.stdout.write(`Building the ${name} (some seconds)\n`);
  const target = join(ROOT, 'built', name);
  await vite.build({
    root: join(ROOT, 'consoles', name),
    base: `/${name}/`,
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    build: {
      outDir: target,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      sourcemap: false,
      chunkSizeWarningLimit: 700,
      license: { fileName: 'licences.md' },
      modulePreload: { polyfill: false },
      cssCodeSplit: false,
      rolldownOptions: {
        output: {
          // What two pages share is one file, which each loads: a dozen small ones would each be a request. What is large
          // and of few pages has a file of its own. None of these is imported by what is shared: they would wait for each other.
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [
              { name: folderOf, debugName: 'folders', test: OF_FEW_PAGES, minShareCount: 2, priority: 2 },
              { name: 'shared', minShareCount: 2, priority: 1 },
            ],
          },
        },
        onLog: (level, log, keep) => {
          // The packages mark what runs in a browser, which is all of this.
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') keep(level, log);
        },
      },
      target: ['chrome120', 'firefox121', 'safari17'],
    },
  });
  const files = await compress(join(target, 'assets'));
  const kB = Math.round(files.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0) / 1000);
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  process.stdout.write(`Built the ${name}: ${files.length} files, ${kB} kB compressed, in ${seconds} s\n`);
}

/** Puts a file compressed by gzip and one by brotli beside each. */
async function compress(folder) {
  return await Promise.all(
    readdirSync(folder).map(async (file) => {
      const bytes = readFileSync(join(folder, file));
      const [gzipped, brotli] = await Promise.all([
        promisify(gzip)(bytes, { level: 9 }),
        promisify(brotliCompress)(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: 11,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
          },
        }),
      ]);
      writeFileSync(join(folder, `${file}.gz`), gzipped);
      writeFileSync(join(folder, `${file}.br`), brotli);
      return { file, gzipBytes: gzipped.length };
    }),
  );
}
