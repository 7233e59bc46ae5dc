import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import manifest from '../../package.json' with { type: 'json' };

export type { Static, TSchema, TUnsafe } from 'typebox';

type Library = Pick<typeof import('typebox'), 'Type'> & Pick<typeof import('typebox/schema'), 'Compile'>;

/**
 * What the service takes of TypeBox, from one file if an install has made it.
 * That is `bin/bundle/bundle.js`.
 * TypeBox is 530 modules: one file of them costs a start a quarter less processor time and each process 20 MB less
 * (docs/decisions/0064-typebox-in-one-file.md). The file is named by the version, so an old one is not taken.
 */
export const { Type, Compile }: Library = load();

function load(): Library {
  const require = createRequire(import.meta.url);
  const { typebox: version } = manifest.dependencies;
  const bundle = fileURLToPath(new URL(`../../built/typebox/${version}.js`, import.meta.url));
  if (existsSync(bundle)) return require(bundle) as Library;
  const { Type: schemas } = require('typebox') as Pick<Library, 'Type'>;
  const { Compile: compile } = require('typebox/schema') as Pick<Library, 'Compile'>;
  return { Type: schemas, Compile: compile };
}
