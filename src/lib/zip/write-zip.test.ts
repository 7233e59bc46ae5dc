import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { unzipSync } from 'fflate';
import { writeZip, type ZipFile } from './write-zip.ts';

const at = new Date('2026-10-31T23:59:58Z');

async function bytesOf(files: Iterable<ZipFile>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of writeZip(files)) parts.push(part);
  return Buffer.concat(parts);
}

test('another reader finds every file, byte for byte; an archive without files has its end alone', async () => {
  const files = [
    { name: 'index.csv', bytes: Buffer.from('a,b\r\n'), changedAt: at },
    { name: '2026-10/INV-000001.pdf', bytes: randomBytes(70_000), changedAt: at },
    { name: '2026-10/empty', bytes: Buffer.alloc(0), changedAt: new Date(0) },
  ];
  const found = unzipSync(await bytesOf(files));
  assert.deepEqual(
    Object.entries(found).map(([name, bytes]) => [name, Buffer.from(bytes)]),
    files.map(({ name, bytes }) => [name, bytes]),
  );
  assert.equal((await bytesOf([])).toString('hex'), `504b0506${'00'.repeat(18)}`);
});

test('the head of a file has its checksum, size and time, so that a reader needs no directory', async () => {
  const archive = await bytesOf([{ name: 'a', bytes: Buffer.from('123456789'), changedAt: at }]);
  assert.equal(archive.subarray(0, 4).toString('latin1'), 'PK\x03\x04');
  assert.equal(archive.readUInt16LE(6), 0, 'no size follows the file');
  assert.equal(archive.readUInt16LE(8), 0, 'stored');
  assert.equal(archive.readUInt32LE(14), 0xcbf43926, 'the known CRC-32 of 123456789');
  assert.deepEqual([archive.readUInt32LE(18), archive.readUInt32LE(22)], [9, 9]);
  assert.equal(archive.readUInt16LE(12), ((2026 - 1980) << 9) | (10 << 5) | 31);
  assert.equal(archive.readUInt16LE(10), (23 << 11) | (59 << 5) | 29);
});

test('a name that would leave the folder of the reader is none, and a failure of a file ends the archive', async () => {
  for (const name of ['../a', '/a', 'a//b', 'a\\b', '', 'C:a', 'é']) {
    await assert.rejects(bytesOf([{ name, bytes: Buffer.alloc(0), changedAt: at }]), /no name for a file/, name);
  }
  async function* failing(): AsyncGenerator<ZipFile> {
    yield { name: 'a', bytes: Buffer.alloc(1), changedAt: at };
    throw new Error('not drawn');
  }
  const parts: Buffer[] = [];
  await assert.rejects(async () => {
    for await (const part of writeZip(failing())) parts.push(part);
  }, /not drawn/);
  assert.equal(Buffer.concat(parts).includes('PK\x05\x06'), false, 'it has no end, so no reader takes it for whole');
});
