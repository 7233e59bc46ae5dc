import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MailServer, startMailServer } from '../../harness/mail-server.ts';
import { runCommand } from '../../harness/process.ts';

let server: MailServer;
let env: Record<string, string>;
before(async () => {
  server = await startMailServer();
  const { host, port, user, password } = server.settings;
  const address = `smtp://${user}:${encodeURIComponent(password)}@${host}:${port}`;
  env = { SMTP_URL: address, MAIL_FROM: 'Print shop <orders@print.example>' };
});
after(() => server.close());

const run = (args: readonly string[], more: Record<string, string> = {}) =>
  runCommand(['mail', 'test', ...args], { ...env, ...more });

test('platen mail test sends a mail and prints what the server answered', async () => {
  const { status, stdout, stderr } = await run(['--to', 'you@print.example', '--json']);
  assert.equal(status, 0, stderr);
  assert.equal((JSON.parse(stdout) as { sent: boolean }).sent, true);
  assert.deepEqual(server.received[0]?.to, ['you@print.example']);
});

test('what is wrong is one line that says what to set, and holds no password', async () => {
  server.onRecipient = (address) => (address.startsWith('nobody') ? { status: 550, text: 'no such user' } : undefined);
  const cases: [string[], Record<string, string>, number, RegExp][] = [
    [['--to', 'nobody@print.example'], {}, 1, /^platen: 127\.0\.0\.1 did not take the mail: 550 no such user$/],
    [['--to', 'not an address'], {}, 2, /^platen: --to must be one address/],
    [
      ['--to', 'you@print.example'],
      { SMTP_URL: '', MAIL_FROM: '' },
      2,
      /^platen: no mail server is set: set SMTP_URL and MAIL_FROM$/,
    ],
    [
      ['--to', 'you@print.example'],
      { SMTP_URL: 'smtp://platen:hunter2@127.0.0.1:1' },
      1,
      /^platen: the mail server could not be used: .*ECONNREFUSED/,
    ],
    [
      ['--to', 'you@print.example'],
      { SMTP_URL: `smtp://platen:hunter2@127.0.0.1:${server.settings.port}` },
      1,
      /EAUTH/,
    ],
  ];
  for (const [args, more, expected, line] of cases) {
    const { status, stderr } = await run(args, more);
    assert.equal(status, expected, stderr);
    assert.match(stderr.trim(), line);
    assert.doesNotMatch(stderr, /hunter2/);
  }
});
