// Puts the modules of TypeBox into one file, `built/typebox/VERSION.js`, for `lib/typebox.ts`: part of the `prepare`
// script of an install. It runs under the Node.js that npm finds, and does nothing where Vite is not installed.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(fileURLToPath(new URL('../../package.json', import.meta.url)));
const ENTRY = 'bundle-typebox';

const vite = await import('vite').catch((error) => {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
  throw error;
});
if (vite !== undefined) {
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
  const { dependencies } = /** @type {{ dependencies: Record<string, string> }} */ (JSON.parse(manifest));
  await vite.build({
    root: ROOT,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [
      {
        name: ENTRY,
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) =>
          id === ENTRY ? "export { Type } from 'typebox';\nexport { Compile } from 'typebox/schema';\n" : null,
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
      rolldownOptions: { input: ENTRY, output: { entryFileNames: `${dependencies.typebox}.js` } },
    },
  });
}
