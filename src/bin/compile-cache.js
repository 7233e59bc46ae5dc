import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Compiled code is cached beside the packages: types are not stripped again, so a warm start is a third of a second
// faster and takes 20 MB less. A checkout that cannot be written to goes without the cache.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/platen', import.meta.url)));
