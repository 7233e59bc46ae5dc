import { pathToFileURL } from 'node:url';
import { databaseClock } from '../../src/lib/clock.ts';
import { openDatabase } from '../../src/lib/db.ts';
import { silentLog } from '../../src/lib/log.ts';
import { migrate } from '../../src/lib/migrations/migrate.ts';

// Applies a folder of migrations to a database, in a process that a test or a measurement can kill. Lines of progress
// go to standard error, the report to standard output.

const [connectionString = '', folder = ''] = process.argv.slice(2);
const database = await openDatabase({
  address: { connectionString },
  clock: databaseClock(),
  log: silentLog,
  connectionsMax: 2,
});
try {
  const report = await migrate(database, {
    folder: pathToFileURL(`${folder}/`),
    say: (line) => void process.stderr.write(`${line}\n`),
  });
  process.stdout.write(`${JSON.stringify(report)}\n`);
} finally {
  await database.close();
}
