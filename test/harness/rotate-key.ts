import { mkdir } from 'node:fs/promises';
import { rotateKeyFile } from '../../src/app/secrets/key-files.ts';

// Exchanges the key of a data directory, as `platen secrets rotate` does; for a child process that is killed.

const [, , dataDir = ''] = process.argv;
await mkdir(dataDir, { recursive: true });
await rotateKeyFile({ dataDir, secretKey: undefined, formerSecretKeys: [] });
