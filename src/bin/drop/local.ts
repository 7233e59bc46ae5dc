import { join } from 'node:path';
import type { AppContext } from '../../app/context.ts';
import { readPermit } from '../../artwork/drop/permit.ts';
import { type DropFolder, openDropFolder } from '../../http/drop/drop-folder.ts';
import { startDrop, startLocalFiles } from '../../http/drop/drop-server.ts';
import type { Config } from '../../lib/config.ts';
import { ARTWORK_SERVER_HOST } from '../../lib/outbound/artwork-server.ts';
import type { OutboundSettings } from '../../lib/outbound/outbound.ts';
import { newLocalCertificate } from '../artwork-folder.ts';
import { forDevelopment } from '../serve.ts';
import { startSweeping } from './sweeping.ts';

export type LocalDrop = {
  /** The settings with the addresses of the drop. */
  readonly config: Config;
  readonly outbound: Pick<OutboundSettings, 'drop'>;
  /** Takes files from now on. */
  readonly open: (ctx: Pick<AppContext, 'secrets'>) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/**
 * Starts the drop of `npm start`: http for the browsers of this machine, https for the service.
 * The key of the certificate stays in this process, which accepts that certificate from that port and no other
 * (docs/decisions/0056-the-drop.md). Undefined where DROP_URL or a bucket is set, or others can reach the service.
 */
export async function startLocalDrop(config: Config): Promise<LocalDrop | undefined> {
  const isElsewhere = config.dropUrl !== undefined || config.dropBucket !== undefined;
  if (isElsewhere || forDevelopment(config).artworkServer === undefined) return undefined;
  const folder = Promise.withResolvers<DropFolder>();
  let secrets: AppContext['secrets'] | undefined;
  let sweeping: { readonly stop: () => void } | undefined;
  const settings = {
    folder: folder.promise,
    pagesOrigin: config.baseUrl,
    readPermit: (text: string) => secrets && readPermit(secrets, text, Date.now()),
  };
  const tls = newLocalCertificate('platen drop');
  const pages = await startDrop(settings, { host: '127.0.0.1', port: 0 });
  const files = await startLocalFiles(settings, tls);
  return {
    config: {
      ...config,
      dropUrl: `http://127.0.0.1:${pages.port}`,
      dropFilesUrl: `https://${ARTWORK_SERVER_HOST}:${files.port}`,
    },
    outbound: { drop: { port: files.port, certificate: tls.cert } },
    open: async (ctx) => {
      const opened = await openDropFolder(join(config.dataDir, 'drop'), Date.now);
      sweeping = startSweeping(opened);
      secrets = ctx.secrets;
      folder.resolve(opened);
    },
    stop: async () => {
      sweeping?.stop();
      await Promise.all([pages.stop(), files.stop()]);
    },
  };
}
