import { checkBucket } from '../../artwork/drop/bucket/check-bucket.ts';
import { readConfig } from '../../lib/config.ts';
import { createOutbound } from '../../lib/outbound/outbound.ts';
import { printResult, UsageError } from '../report.ts';

/**
 * `platen drop --check`: what the bucket of DROP_S3_URL lacks.
 * The exit code is 1 where it lacks something.
 */
export async function checkDrop(options: { readonly json?: boolean }): Promise<void> {
  const config = readConfig();
  const { dropBucket, trustedPrivateHosts } = config;
  if (dropBucket === undefined) throw new UsageError('DROP_S3_URL must be set: the bucket to look at');
  const outbound = createOutbound({ trustedPrivateHosts });
  try {
    // No database: the machine's time is good for a signature of a minute.
    const problems = await checkBucket({ config, outbound, clock: { now: () => new Date() } }, dropBucket);
    const lines = problems.length === 0 ? [`${dropBucket.url} serves ${config.baseUrl}.`] : problems;
    printResult(options, { bucket: dropBucket.url, problems }, lines);
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    await outbound.close();
  }
}
