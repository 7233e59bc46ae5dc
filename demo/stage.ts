import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_SELLER } from '../src/bin/demo-seller.ts';
import { createAuthority } from '../test/harness/authority.ts';
import { type Stranger, startStranger } from '../test/harness/stranger.ts';
import type { Screen } from './screen.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

/** Everything that the story needs around it, until `close`. */
export type Stage = {
  readonly service: ServiceProcess;
  /** The customer's own HTTPS servers: where pictures lie, and where webhooks are received. */
  readonly pictureHost: Stranger;
  readonly webhookHost: Stranger;
  /**
   * Ends the service and the servers and removes the scratch folder; safe to repeat. Throws when the service ended
   * badly.
   */
  readonly close: () => Promise<void>;
};

/**
 * Sets the stage: a scratch folder in the system's folder for such, a certificate authority, two HTTPS servers on
 * free ports of `localhost`, and a real service process that trusts them. What was opened is closed again when a part
 * fails.
 */
export async function openStage(options: {
  ended: AbortController;
  screen: Screen;
  onLogLine: (line: string) => void;
}): Promise<Stage> {
  const { ended, screen, onLogLine } = options;
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'platen-demo-'));
  // A database server that was cut off may still be writing its last files.
  undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

  const authority = createAuthority();
  const pictureHost = await startStranger({ authority });
  undo.defer(pictureHost.close);
  const webhookHost = await startStranger({ authority });
  undo.defer(webhookHost.close);
  screen.step('A certificate is made; picture host and webhook receiver use it.');

  screen.step('The service starts in an empty folder, with its own PostgreSQL.');
  const service = await startServiceProcess({
    ended,
    onLogLine,
    folder,
    settings: {
      ...DEMO_SELLER,
      NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
      TRUSTED_PRIVATE_HOSTS: `${pictureHost.hostPort},${webhookHost.hostPort}`,
      WEBHOOK_FLUSH_SECONDS: '0',
      LOG_LEVEL: 'warn',
    },
  });
  undo.defer(service.stop);
  screen.step(`The service is ready on ${service.url}.`);

  const opened = undo.move();
  return { service, pictureHost, webhookHost, close: () => opened.disposeAsync() };
}
