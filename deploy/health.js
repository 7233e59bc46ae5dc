// Asks the service of this machine whether it is alive (`healthz`) or ready (`readyz`), for the health checks of
// containers: an image has no other program that could ask. Ends with status 0 for yes and 1 for no.
const [path = 'healthz'] = process.argv.slice(2);
const TIMEOUT_MS = 4_000;

try {
  const url = `http://127.0.0.1:${process.env.PORT ?? '8080'}/${path}`;
  const { ok } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
