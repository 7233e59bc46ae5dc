import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeScratch, type Scratch } from './backup-fixture.ts';
import { copyClusterFiles, segmentNames } from './copy-cluster.ts';

const MB = 1_048_576;
const label = (file: string): string =>
  `START WAL LOCATION: 0/2000028 (file ${file})\nCHECKPOINT LOCATION: 0/2000080\n`;

describe('the files of the log that a backup needs', () => {
  const cases = [
    ['one', '000000010000000000000002', '0/2000120', 16, ['000000010000000000000002']],
    [
      'the position behind the last byte of one',
      '000000010000000000000002',
      '0/3000000',
      16,
      ['000000010000000000000002'],
    ],
    [
      'over the end of the low half',
      '0000000300000001000000FE',
      '2/1000001',
      16,
      ['0000000300000001000000FE', '0000000300000001000000FF', '000000030000000200000000', '000000030000000200000001'],
    ],
    [
      'of another size',
      '000000010000000000000000',
      '0/8000000',
      64,
      ['000000010000000000000000', '000000010000000000000001'],
    ],
  ] as const;
  for (const [what, first, stop, megabytes, names] of cases) {
    test(what, () => assert.deepEqual(segmentNames(label(first), stop, megabytes * MB), names));
  }
  test('an answer of another form is refused', () => {
    assert.throws(() => segmentNames('', '0/1', 16 * MB), /another form/);
    assert.throws(() => segmentNames(label('000000010000000000000002'), '', 16 * MB), /another form/);
  });
});

describe('the files of a cluster', () => {
  let scratch: Scratch;
  let cluster: string;
  const KEPT = ['PG_VERSION', 'base/1/100', 'base/1/100_fsm', 'global/1', 'global/pg_control', 'postgresql.auto.conf'];
  const LEFT = [
    'postmaster.pid',
    'postmaster.opts',
    '.s.PGSQL.5432.lock',
    'backup_label.old',
    'base/1/pg_internal.init',
    'base/1/t5_100',
    'base/pgsql_tmp/pgsql_tmp1.0',
    'global/pg_internal.init.77',
    'pg_wal/000000010000000000000001',
    'pg_wal/archive_status/000000010000000000000001.ready',
    'pg_replslot/slot/state',
    'pg_subtrans/0000',
  ];
  before(async () => {
    scratch = await makeScratch();
    cluster = join(scratch.folder, 'cluster');
    for (const path of [...KEPT, ...LEFT]) {
      await mkdir(dirname(join(cluster, path)), { recursive: true });
      await writeFile(join(cluster, path), path);
    }
  });
  after(() => scratch.remove());

  test('are copied but for what a restored server must not find', async () => {
    const to = join(scratch.folder, 'copy');
    let ofBytes = 0;
    const { files, folders } = await copyClusterFiles(cluster, to, (_bytes, all) => {
      ofBytes = all;
    });
    assert.deepEqual(files.map(({ path }) => path).toSorted(), KEPT);
    assert.deepEqual(folders.toSorted(), ['', 'base', 'base/1', 'global', 'pg_replslot', 'pg_subtrans', 'pg_wal']);
    assert.equal(await readFile(join(to, 'base/1/100'), 'utf8'), 'base/1/100');
    assert.ok(ofBytes > 0);
  });

  test('of a cluster with tables elsewhere are refused', async () => {
    await mkdir(join(cluster, 'pg_tblspc'));
    await symlink('/tmp', join(cluster, 'pg_tblspc/16400'));
    await assert.rejects(
      copyClusterFiles(cluster, join(scratch.folder, 'other'), () => {}),
      /tablespaces/,
    );
  });
});
