import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../harness/context.ts';
import { SECRET_KEY } from '../../harness/database.ts';
import { scratchParent } from '../../harness/scratch.ts';
import type { TestService } from '../../harness/service.ts';
import { openShell, type Shell, type Tools } from './shell.ts';

const LISTEN_TIMEOUT_MS = 30_000;

export type Stage = Shell & {
  /** The folder that the shell is in. */
  readonly folder: string;
  /** Runs an example that goes on until Ctrl-C, as a reader's second terminal would; returns once it printed this. */
  readonly runBeside: (code: string, until: RegExp) => Promise<string>;
};

/** A shell as a reader of the documents has it beside a running service, in a folder of its own. */
export async function openStage(service: TestService, tools: Tools): Promise<Stage> {
  const folder = await mkdtemp(join(scratchParent(), 'platen-examples-'));
  const { dataDir } = service.ctx.config;
  const env = { DATABASE_URL: service.database.url, SECRET_KEY, DATA_DIR: dataDir, BASE_URL: service.url };
  const shell = await openShell({ folder, tools, env });
  let running = 0;
  let started = '';
  return {
    ...shell,
    folder,
    runBeside: async (code, until) => {
      running += 1;
      const file = `beside-${running}.log`;
      // The shell ends it when it ends itself.
      started += ` $BESIDE_${running}`;
      const remembered = `BESIDE_${running}=$!\ntrap "kill${started}" EXIT`;
      await shell.run(`: > ${file}\n${code.trimEnd()} > ${file} 2>&1 &\n${remembered}`);
      let printed = '';
      await eventually(
        `${until.source} is printed`,
        async () => {
          printed = await readFile(join(folder, file), 'utf8');
          return until.test(printed);
        },
        LISTEN_TIMEOUT_MS,
      );
      return printed;
    },
    close: async () => {
      await shell.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

/** What stands at a path as the documents write it, such as `items[].artwork_ready`: of a list, the first. */
export function memberAt(body: unknown, path: string): unknown {
  let value = body;
  for (const [, name, list] of path.matchAll(/(\w+)|(\[\])/g)) {
    value = list === undefined ? (value as Record<string, unknown> | undefined)?.[name ?? ''] : (value as unknown[])[0];
  }
  return value;
}
