import { Readable } from 'node:stream';
import { runCli } from '../../src/bin/cli.ts';

// Runs the commands that its parent sends it, one after another in this one process. Answers with what each printed.

export type AskedCommand = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
};

const { stdout, stderr } = process;
const bare = { ...process.env };
let last = Promise.resolve();

async function runOne({ args, env, input }: AskedCommand): Promise<void> {
  const result = { status: 0, stdout: '', stderr: '' };
  stdout.write = (chunk) => {
    result.stdout += String(chunk);
    return true;
  };
  stderr.write = (chunk) => {
    result.stderr += String(chunk);
    return true;
  };
  Object.defineProperty(process, 'stdin', { value: Readable.from(input === '' ? [] : [Buffer.from(input)]) });
  process.env = { ...bare, ...env };
  result.status = await runCli(args);
  process.send?.(result);
}

process.on('message', (asked: AskedCommand) => {
  last = last.then(() => runOne(asked));
});
