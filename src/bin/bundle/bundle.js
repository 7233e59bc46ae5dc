// Puts the service into a few files, `built/service/`, and the modules of TypeBox into one, `built/typebox/VERSION.js`
// (docs/decisions/0078 and 0064): part of the `prepare` script of an install. It runs under the Node.js that npm finds,
// and does nothing where Vite is not installed.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(fileURLToPath(new URL('../../../package.json', import.meta.url)));
const SERVICE = join(ROOT, 'built/service');
const PROGRAMS = ['platen', 'start'];

const vite = await import('vite').catch((error) => {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
  throw error;
});
if (vite !== undefined) {
  const common = { root: ROOT, configFile: false, envDir: false, publicDir: false, logLevel: 'warn' };
  await vite.build({ ...common, ...typebox() });
  await vite.build({ ...common, ...service() });
}

/** @returns {import('vite').InlineConfig} */
function typebox() {
  const entry = 'bundle-typebox';
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
  const { dependencies } = /** @type {{ dependencies: Record<string, string> }} */ (JSON.parse(manifest));
  return {
    plugins: [
      {
        name: entry,
        resolveId: (id) => (id === entry ? id : null),
        load: (id) =>
          id === entry ? "export { Type } from 'typebox';\nexport { Compile } from 'typebox/schema';\n" : null,
      },
    ],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: join(ROOT, 'built/typebox'),
      emptyOutDir: true,
      minify: false,
      sourcemap: false,
      license: { fileName: 'licences.md' },
      rolldownOptions: { input: entry, output: { entryFileNames: `${dependencies.typebox}.js` } },
    },
  };
}

/**
 * Our own modules alone: packages are loaded as they are.
 * @returns {import('vite').InlineConfig}
 */
function service() {
  /** @type {Record<string, readonly [bytes: number, changedAt: number]>} */
  const inputs = {};
  return {
    plugins: [
      {
        name: 'service',
        enforce: 'pre',
        // A module that looks for a file beside itself finds it where its source is.
        transform: (code, id) => {
          if (!id.startsWith(ROOT)) return null;
          const { size, mtimeMs } = statSync(id);
          inputs[relative(ROOT, id)] = [size, Math.floor(mtimeMs / 1_000)];
          const own = `new URL(${JSON.stringify(relative(SERVICE, id))}, import.meta.url).href`;
          return { code: code.replaceAll('import.meta.url', own), map: null };
        },
        writeBundle: () => writeFileSync(join(SERVICE, 'inputs.json'), JSON.stringify(inputs)),
      },
    ],
    build: {
      ssr: true,
      outDir: SERVICE,
      emptyOutDir: true,
      minify: false,
      target: 'esnext',
      // For the stacks of faults in the log alone (`lib/log/stack.ts`).
      sourcemap: 'hidden',
      rolldownOptions: {
        input: Object.fromEntries(PROGRAMS.map((name) => [name, join(ROOT, `src/bin/${name}.ts`)])),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          sourcemapExcludeSources: true,
          comments: false,
        },
      },
    },
  };
}
