import { once } from 'node:events';
import { join } from 'node:path';
import { readSecretKeys } from '../../app/secrets/key-files.ts';
import { readPermit } from '../../artwork/drop/permit.ts';
import { openDropFolder } from '../../http/drop/drop-folder.ts';
import { startDrop } from '../../http/drop/drop-server.ts';
import { readConfig } from '../../lib/config.ts';
import { createSecrets } from '../../lib/secrets.ts';
import { printResult, UsageError } from '../report.ts';
import { startSweeping } from './sweeping.ts';

/** Runs `platen drop`: the server behind DROP_URL, until Ctrl-C. It needs no database. */
export async function runDrop(options: { readonly json?: boolean }): Promise<void> {
  const config = readConfig();
  const { dropUrl, dropPort, host, baseUrl, dataDir } = config;
  if (dropUrl === undefined) throw new UsageError('DROP_URL must be set: the https origin at which others reach this');
  // Makes DATA_DIR, too, where the key is kept.
  const folder = await openDropFolder(join(dataDir, 'drop'), Date.now);
  const { secretKey, formerKeys } = await readSecretKeys(config);
  const secrets = createSecrets(secretKey, formerKeys);
  const settings = {
    folder: Promise.resolve(folder),
    pagesOrigin: baseUrl,
    readPermit: (text: string) => readPermit(secrets, text, Date.now()),
  };
  const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const drop = await startDrop(settings, { host, port: dropPort });
  const sweeping = startSweeping(folder);
  printResult(options, { url: dropUrl, port: drop.port }, [`The drop of ${baseUrl} listens on port ${drop.port}.`]);
  await ended;
  sweeping.stop();
  await drop.stop();
}
