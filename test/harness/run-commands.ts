import { text } from 'node:stream/consumers';
import { runCli } from '../../src/bin/cli.ts';

// Runs many commands one after another in this one process, which is given them as JSON and answers with what each of
// them printed.

const commands = JSON.parse(await text(process.stdin)) as readonly (readonly string[])[];
const write = process.stdout.write.bind(process.stdout);
const results = [];
for (const args of commands) {
  const result = { status: 0, stdout: '', stderr: '' };
  process.stdout.write = (chunk) => {
    result.stdout += String(chunk);
    return true;
  };
  process.stderr.write = (chunk) => {
    result.stderr += String(chunk);
    return true;
  };
  result.status = await runCli(args);
  results.push(result);
}
write(JSON.stringify(results));
