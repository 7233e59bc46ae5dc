import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { freePort } from '../../harness/process.ts';
import { startDoors } from '../../harness/server-fixture.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

// The health checks of deploy/, as the containers run them.

type Compose = { readonly services: Record<string, { readonly healthcheck?: { readonly test: readonly string[] } }> };

const NODE = '/srv/platen/node_modules/.bin/node';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

/** What each container asks: the words after its Node.js. */
function checks(): readonly (readonly [what: string, words: readonly string[]])[] {
  const image = /HEALTHCHECK [\s\S]*?CMD (\[.*\])/.exec(readFileSync('deploy/Containerfile', 'utf8'))?.[1];
  const { services } = parse(readFileSync('deploy/compose.yaml', 'utf8'), { merge: true }) as Compose;
  const ofServices = ['api', 'worker'].map((name) => [name, services[name]?.healthcheck?.test.slice(1) ?? []] as const);
  return [['the image', JSON.parse(image ?? '[]') as string[]], ...ofServices];
}

async function statusOf(words: readonly string[], port: number): Promise<number | null> {
  assert.equal(words[0], NODE);
  const child = spawn(process.execPath, words.slice(1), { env: { PORT: String(port) }, stdio: 'ignore' });
  await once(child, 'exit');
  return child.exitCode;
}

for (const [what, words] of checks()) {
  test(`the health check of ${what} passes on a service that runs, and on nothing else`, async () => {
    assert.equal(await statusOf(words, Number(new URL(service.url).port)), 0);
    assert.equal(await statusOf(words, await freePort()), 1, 'nothing listens');
  });
}

test('readyz is asked where traffic depends on it: a service without its database is alive and not ready', async () => {
  const doors = await startDoors({ ready: async () => ({ ready: false, reason: 'The database cannot be reached.' }) });
  const [image, api, worker] = checks().map(([, words]) => words);
  assert.ok(image && api && worker);
  assert.equal(await statusOf(image, doors.port), 0, 'it must not be restarted for that');
  assert.equal(await statusOf(api, doors.port), 1);
  assert.equal(await statusOf(worker, doors.port), 1);
  await doors.drain(0);
});
