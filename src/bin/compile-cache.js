import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Compiled code is kept beside the packages: a warm start is a third of a second faster and takes 20 MB less, since types are
// not stripped again. A checkout that cannot be written to goes without.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/platen', import.meta.url)));
