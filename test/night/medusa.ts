import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { goRound } from './medusa/circle.ts';
import { installMedusa, MEDUSA_VERSION, NotHere, startMedusa } from './medusa/install.ts';

const HELP = `npm run night:medusa     a real shop of Medusa ${MEDUSA_VERSION}: sold there, made here, reported there
  --into DIR       where it is installed, and stays; else a folder that is deleted, with 700 MB for some minutes
`;

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false }, into: { type: 'string' } } });
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const folder = await mkdtemp(join(tmpdir(), 'platen-medusa-'));
const beganMs = performance.now();
const seconds = (): string => `${Math.round((performance.now() - beganMs) / 1_000)} s`;
try {
  const installed = values.into ?? join(folder, 'shop');
  await installMedusa(installed);
  print(`has      Medusa ${MEDUSA_VERSION} from its packages after ${seconds()}`);
  const server = await startMedusa(installed, join(folder, 'database'));
  try {
    print(`started  it on a database of its own after ${seconds()}`);
    await goRound(server, print);
  } finally {
    await server.stop();
  }
  print(`held     medusa in ${seconds()}`);
} catch (error) {
  process.exitCode = 1;
  const what = error instanceof NotHere ? `MISSING  ${error.message}` : `FAILED   medusa: ${wordsOf(error)}`;
  print(what);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
