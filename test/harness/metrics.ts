/** The series of a service's `/metrics` and their values, as `name{label="value"}`. */
export async function readMetrics(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** By how much some series have grown while work was done; those that have not are left out. */
export async function growthOf(
  url: string,
  prefix: string,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const before = await readMetrics(url);
  await work();
  const after = await readMetrics(url);
  const grown = [...after].map(([series, value]) => [series, value - (before.get(series) ?? 0)] as const);
  return Object.fromEntries(grown.filter(([series, by]) => series.startsWith(prefix) && by !== 0));
}
