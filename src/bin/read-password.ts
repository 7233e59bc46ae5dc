import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from './report.ts';

/** No password is this long; the rest is not read. */
const PASSWORD_BYTES_MAX = 4_096;

/** Reads the first line of standard input; from a terminal without echo. */
export async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) {
    process.stderr.write('Password: ');
    const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
    const line = createInterface({ input: process.stdin, output: unseen, terminal: true });
    line.once('SIGINT', () => process.exit(130));
    const password = await line.question('');
    line.close();
    process.stderr.write('\n');
    return password;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > PASSWORD_BYTES_MAX) throw new UsageError('the password on standard input is too long');
  }
  const [password = ''] = Buffer.concat(chunks).toString('utf8').split(/\r?\n/, 1);
  if (password === '') throw new UsageError('the password is read from standard input, which is empty');
  return password;
}
