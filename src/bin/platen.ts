import { runCli } from './cli.ts';

const status = await runCli(process.argv.slice(2));
// A service that stopped cleanly after an uncaught error has set the status 1 already: keep it.
if (status !== 0) process.exitCode = status;
