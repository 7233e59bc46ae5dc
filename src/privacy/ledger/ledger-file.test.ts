import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newId, type Uuid } from '../../lib/ids.ts';
import { entryOf, LINE_BYTES, ledgerLine, orderHash, recipientHash, recipientHashesOf } from './entry.ts';
import { addFormer, beginDraft, LedgerDamaged, openLedger, openOrBeginLedger } from './ledger-file.ts';

let parent: string;
before(async () => {
  parent = await mkdtemp(join(tmpdir(), 'platen-ledger-'));
});
after(() => rm(parent, { recursive: true, force: true }));

const entry = (scope: 'order' | 'recipient' | 'account' = 'order') => ({
  at: new Date('2026-01-02T03:04:05.678Z'),
  scope,
  erasureId: newId(),
  hash: 'ab'.repeat(32),
});

let folders = 0;
async function ledgerOf(entries: number) {
  folders += 1;
  const folder = join(parent, String(folders));
  const ledger = await openOrBeginLedger(folder);
  for (let at = 0; at < entries; at += 1) await ledger.append(entry());
  return { folder, path: join(folder, 'erasures.log'), ledger };
}

describe('the file of the ledger', () => {
  test('is begun once, for its owner alone, and read back as it was written, each line in its place', async () => {
    const { folder, path, ledger } = await ledgerOf(0);
    const written = [];
    for (const scope of ['order', 'recipient', 'account'] as const) written.push(await ledger.append(entry(scope)));
    const again = await openOrBeginLedger(folder);
    assert.deepEqual(again.key, ledger.key);
    assert.equal(await again.length(), 3);
    assert.deepEqual(await again.read(1, 10), written);
    assert.deepEqual(await again.read(2, 1), [written[1]]);
    assert.deepEqual(await again.read(4, 10), []);
    assert.equal((await readFile(path)).length, 3 * LINE_BYTES);
    for (const name of ['erasures.log', 'erasures.key']) {
      assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name);
    }
    for (const line of written) assert.deepEqual(entryOf(ledgerLine(line)), line);
  });

  test('of two that begin it at once both have one key', async () => {
    const folder = join(parent, 'raced');
    const [one, other] = await Promise.all([openOrBeginLedger(folder), openOrBeginLedger(folder)]);
    assert.deepEqual(one.key, other.key);
  });

  test('a line that a killed process left unfinished does not count, and makes way for the next', async () => {
    const { path, ledger } = await ledgerOf(2);
    await appendFile(path, '000000000003 2026-01-02T03:0');
    assert.equal(await ledger.length(), 2);
    assert.equal((await ledger.append(entry())).position, 3);
    assert.equal((await ledger.read(1, 10)).length, 3);
    assert.equal((await readFile(path)).length, 3 * LINE_BYTES);
  });

  test('any byte that has changed is found, and so is a line that is missing or out of place', async () => {
    const { folder, path, ledger } = await ledgerOf(3);
    const sound = await readFile(path);
    for (let at = 0; at < sound.length; at += 7) {
      const bytes = Buffer.from(sound);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await writeFile(path, bytes);
      await assert.rejects(ledger.read(1, 10), LedgerDamaged, `byte ${at}`);
    }
    const line = (at: number): Buffer => sound.subarray(at * LINE_BYTES, (at + 1) * LINE_BYTES);
    await writeFile(path, Buffer.concat([line(0), line(2)]));
    await assert.rejects(ledger.read(1, 10), /is damaged in line 2/);
    await writeFile(path, Buffer.concat([line(1), line(0), line(2)]));
    await assert.rejects(ledger.read(1, 10), /is damaged in line 1/);
    await rm(path);
    await assert.rejects(ledger.length(), /has no erasures\.log/);
    await assert.rejects(ledger.read(1, 10), /has no erasures\.log/);
    await writeFile(join(folder, 'erasures.key'), 'short');
    await assert.rejects(openLedger(folder), /damaged erasures\.key/);
  });

  test('a log without its key is not begun anew', async () => {
    const { folder } = await ledgerOf(1);
    await rm(join(folder, 'erasures.key'));
    await assert.rejects(openOrBeginLedger(folder), /has erasures\.log without erasures\.key: put back/);
  });
});

describe('a ledger that is begun anew', () => {
  test('takes the place of the lost one whole, keeps that under another name, and knows its macs', async () => {
    const { folder, ledger } = await ledgerOf(3);
    const lost = await ledger.read(1, 10);
    await addFormer(
      folder,
      lost.map(({ mac }) => mac),
    );
    await appendFile(join(folder, 'erasures.former'), 'a killed line');
    await addFormer(folder, ['ab'.repeat(32)]);
    for (const abandoned of [true, false]) {
      const draft = await beginDraft(folder);
      const lines = [...(await draft.append([entry(), entry()])), ...(await draft.append([entry('account')]))];
      await draft.finish();
      // One that was killed before its end has changed nothing.
      if (abandoned) assert.deepEqual(await (await openLedger(folder)).read(1, 10), lost);
      else {
        await draft.install(new Date('2026-01-02T03:04:05.678Z'));
        const begun = await openLedger(folder);
        assert.deepEqual(await begun.read(1, 10), lines);
        assert.notDeepEqual(begun.key, ledger.key);
        for (const { mac } of lost) assert.equal(await begun.isFormer(mac), true);
        assert.deepEqual([await begun.isFormer('ab'.repeat(32)), await begun.isFormer('cd'.repeat(32))], [true, false]);
        assert.equal((await begun.append(entry())).position, 4);
      }
    }
    assert.deepEqual((await readdir(folder)).toSorted(), [
      'erasures.former',
      'erasures.key',
      'erasures.key.lost-2026-01-02T03-04-05.678Z',
      'erasures.log',
      'erasures.log.lost-2026-01-02T03-04-05.678Z',
    ]);
  });
});

describe('the hashes of the ledger', () => {
  const key = Buffer.alloc(32, 7);
  const account = newId();
  const address = {
    contact_name: 'Ada Byron',
    postcode: 'LS1 4DY',
    phone: '+44 7700 900123',
    email: 'Ada@Example.com',
  };

  test('one person has one hash, however they are written', () => {
    const hashes = recipientHashesOf(key, account, address);
    assert.equal(hashes.length, 3);
    const named = [
      { kind: 'name', name: ' byron,  ADA', postcode: 'ls14dy' },
      { kind: 'phone', phone: '07700 900 123' },
      { kind: 'phone', phone: '0044 (0)7700 900123' },
      { kind: 'email', email: 'ADA@example.COM ' },
    ] as const;
    for (const one of named) assert.ok(hashes.includes(recipientHash(key, account, one)), JSON.stringify(one));
  });

  test('another person, account, key or kind has another, and an erased address has none', () => {
    const hashes = recipientHashesOf(key, account, address);
    const others = [
      recipientHash(key, account, { kind: 'name', name: 'Ada Byron', postcode: 'LS1 4DZ' }),
      recipientHash(key, account, { kind: 'name', name: 'Ada', postcode: 'LS1 4DY' }),
      recipientHash(key, newId(), { kind: 'email', email: 'ada@example.com' }),
      recipientHash(Buffer.alloc(32, 8), account, { kind: 'email', email: 'ada@example.com' }),
      orderHash(key, account, account),
    ];
    for (const other of others) assert.ok(!hashes.includes(other));
    assert.deepEqual(recipientHashesOf(key, '' as Uuid, { contact_name: '', postcode: '', phone: '', email: '' }), []);
  });
});
