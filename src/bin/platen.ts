import { runCli } from './cli.ts';

const status = await runCli(process.argv.slice(2));
// A service that ended in good order after an error that nobody caught has said so already: its 1 must stay.
if (status !== 0) process.exitCode = status;
