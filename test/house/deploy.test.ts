import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/lib/settings/table.ts';
import { runManyCommands } from '../harness/command-line.ts';

// What `deploy/` says about the service is true of the service. test/journeys/app/health-check.test.ts holds the health
// checks to a running one.

const read = (path: string): string => readFileSync(path, 'utf8');
const containerfile = read('deploy/Containerfile');
const unit = read('deploy/platen.service');
const runbook = read('docs/runbook.md');

type Service = {
  readonly image: string;
  readonly user?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly volumes: readonly string[];
  readonly stop_grace_period: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
};
type Compose = {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
};

const compose = parse(read('deploy/compose.yaml'), { merge: true }) as Compose;
const ours = Object.entries(compose.services).filter(([name]) => name !== 'database');

const known = new Set<string>(Object.values(SETTINGS).map(({ name }) => name));
/** The lines of a unit that set one thing. */
const inUnit = (key: string): string[] =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map((match) => match[1] ?? '');

describe('the settings', () => {
  const image = /^ENV (.*)$/m.exec(containerfile)?.[1]?.split(' ') ?? [];
  const ofCompose = ours.flatMap(([, { environment = {} }]) => Object.keys(environment));
  const asked = [...read('deploy/compose.yaml').matchAll(/\$\{(\w+)/g)].map((match) => match[1] ?? '');
  /** Of compose and of the image of PostgreSQL, and of Platen nothing. */
  const others = new Set(['PLATEN_IMAGE', 'POSTGRES_PASSWORD']);

  test('that the image sets are those of the service', () => {
    assert.deepEqual(image.map((pair) => pair.split('=')[0] ?? '').toSorted(), ['DATA_DIR', 'HOST', 'PORT']);
    for (const pair of image) assert.ok(known.has(pair.split('=')[0] ?? ''), pair);
  });

  test('that compose sets, and asks for, are those of the service', () => {
    assert.ok(ofCompose.includes('DATABASE_URL') && ofCompose.includes('SECRET_KEY'));
    for (const name of ofCompose) assert.ok(known.has(name), name);
    for (const name of asked) assert.ok(known.has(name) || others.has(name), name);
  });

  test('that the unit sets are those of the service', () => {
    for (const pair of inUnit('Environment')) assert.ok(known.has(pair.split('=')[0] ?? ''), pair);
    assert.deepEqual(inUnit('EnvironmentFile'), ['/srv/platen/env']);
  });
});

test('the commands of the image, of compose and of the unit exist', async () => {
  const image = JSON.parse(/^CMD (\[.*\])$/m.exec(containerfile)?.[1] ?? '[]') as string[];
  const started = inUnit('ExecStart')[0]?.split(' src/bin/platen.js ')[1]?.split(' ') ?? [];
  const commands = [image, started, ...ours.map(([, { command = [] }]) => command)];
  assert.deepEqual(
    commands.map((words) => words.join(' ')),
    ['serve', 'serve', 'migrate', 'serve --role api', 'serve --role worker'],
  );
  const results = await runManyCommands(
    commands.map((words) => [...words, '--help']),
    {},
  );
  for (const { status, stdout } of results) {
    assert.equal(status, 0);
    assert.match(stdout, /Usage: platen (serve|migrate)/);
  }
});

describe('the image', () => {
  const listed = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));

  test('is made of what exists, and of all that the service reads', () => {
    for (const path of listed) assert.ok(existsSync(path), path);
    const product = globSync('src/**/*.{ts,js}').filter((path) => !path.endsWith('.test.ts'));
    const outside = product.flatMap((path) =>
      [...read(path).matchAll(/new URL\('(\.\.\/[^']+)'/g)].map((match) => join(path, '..', match[1] ?? '')),
    );
    const folders = new Set(outside.map((path) => path.split('/')[0] ?? ''));
    assert.ok(folders.has('migrations') && folders.has('data'));
    // Made in the image, and not taken from the checkout.
    const made = ['node_modules', 'built'];
    for (const folder of folders) assert.ok(made.includes(folder) || listed.includes(folder), folder);
    assert.match(containerfile, /^COPY --from=consoles \/srv\/platen\/built \/srv\/platen\/built$/m);
    const { imports, workspaces } = JSON.parse(read('package.json')) as {
      imports: Record<string, string>;
      workspaces: string[];
    };
    for (const path of [...Object.values(imports), ...workspaces]) {
      assert.ok(listed.includes(path.replace('./', '').split('/')[0] ?? ''), path);
    }
  });

  test('has no tests, no settings of who builds it, and nothing that was installed elsewhere', () => {
    const lines = read('.dockerignore').split('\n');
    for (const line of ['*', '**/*.test.ts', '**/.env*', '**/node_modules']) assert.ok(lines.includes(line), line);
  });

  test('runs as a user that is not root, with /data alone to keep', () => {
    assert.match(containerfile, /^USER 10001:10001$/m);
    assert.match(containerfile, /^VOLUME \/data$/m);
    assert.match(containerfile, /^COPY --from=build --chown=10001:10001 \/data \/data$/m);
    const program = /^ENTRYPOINT \["\/srv\/platen\/node_modules\/\.bin\/node", "\/srv\/platen\/(.*)"\]$/m;
    assert.ok(existsSync(program.exec(containerfile)?.[1] ?? ''));
  });
});

describe('compose', () => {
  for (const [name, service] of ours) {
    test(`${name} has no rights that it does not need`, () => {
      assert.equal(service.user, '10001:10001');
      assert.equal(service.read_only, true);
      assert.deepEqual(service.tmpfs, ['/tmp']);
      assert.deepEqual(service.volumes, ['files:/data']);
      assert.deepEqual(service.cap_drop, ['ALL']);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true']);
    });
  }

  test('migrates once the database answers, and starts nothing before', () => {
    const { database, migrate, api, worker } = compose.services;
    assert.ok(database?.healthcheck && migrate && api && worker);
    assert.deepEqual(migrate.depends_on, { database: { condition: 'service_healthy' } });
    for (const { depends_on: needed } of [api, worker]) {
      assert.deepEqual(needed, { migrate: { condition: 'service_completed_successfully' } });
    }
    assert.deepEqual(Object.keys(compose.volumes).toSorted(), ['database', 'files']);
  });
});

test('the unit starts what is there, writes to its data alone, and may use none of root’s rights', () => {
  assert.deepEqual(inUnit('ExecStart'), ['/srv/platen/app/node_modules/.bin/node src/bin/platen.js serve']);
  assert.deepEqual(inUnit('WorkingDirectory'), ['/srv/platen/app']);
  assert.deepEqual(inUnit('ReadWritePaths'), ['/srv/platen/data']);
  assert.deepEqual(inUnit('Environment'), ['DATA_DIR=/srv/platen/data']);
  assert.deepEqual(inUnit('User'), ['platen']);
  assert.deepEqual(inUnit('ProtectSystem'), ['strict']);
  assert.deepEqual(inUnit('NoNewPrivileges'), ['yes']);
  assert.deepEqual(inUnit('CapabilityBoundingSet'), ['']);
});

describe('the units of backups', () => {
  for (const name of ['backup', 'drill']) {
    const file = read(`deploy/platen-${name}.service`);
    const has = (line: string): boolean => file.split('\n').includes(line);

    test(`${name} runs by its timer as the service's user on the same data, and may use none of root’s rights`, async () => {
      for (const key of ['User', 'WorkingDirectory', 'EnvironmentFile', 'Environment', 'ProtectSystem', 'UMask']) {
        assert.ok(has(`${key}=${inUnit(key)[0]}`), key);
      }
      for (const line of ['Type=oneshot', 'NoNewPrivileges=yes', 'CapabilityBoundingSet=']) assert.ok(has(line), line);
      const words = / src\/bin\/platen\.js (.*)$/m.exec(file)?.[1]?.split(' ') ?? [];
      assert.deepEqual(words.slice(0, 2), [name, '/srv/platen/backups']);
      const [help] = await runManyCommands([[...words, '--help']], {});
      assert.deepEqual([help?.status, help?.stdout.includes(`Usage: platen ${name}`)], [0, true]);
      assert.match(read(`deploy/platen-${name}.timer`), /^OnCalendar=.*\d\d:30:00\nPersistent=true$/m);
      assert.ok(runbook.includes(`deploy/platen-${name}.timer`));
    });
  }
});

test('a stop is waited for as long as the runbook says', () => {
  const seconds = /Have your supervisor wait (\d+) s before it kills/.exec(runbook)?.[1];
  assert.ok(Number(seconds) >= 60, 'requests and jobs have 30 seconds each');
  assert.deepEqual(inUnit('TimeoutStopSec'), [seconds]);
  for (const [name, service] of ours) assert.equal(service.stop_grace_period, `${seconds}s`, name);
  assert.match(containerfile, /^STOPSIGNAL SIGTERM$/m);
  assert.deepEqual(inUnit('KillSignal'), ['SIGTERM']);
});

test('the runbook has three lines that start each, with the files that are there', () => {
  const section = /## Deploy\n([\s\S]*?)\n## /.exec(runbook)?.[1] ?? '';
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) =>
    (match[1] ?? '').replaceAll('\\\n', ' ').trim().split('\n'),
  );
  assert.deepEqual(
    blocks.map((lines) => lines.length),
    [3, 3, 3],
  );
  const texts = blocks.map((lines) => lines.join('\n'));
  for (const [index, file] of ['deploy/Containerfile', 'deploy/compose.yaml', 'deploy/platen.service'].entries()) {
    assert.ok(texts[index]?.includes(file), file);
  }
});
