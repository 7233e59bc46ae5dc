import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { iccDescription } from './icc-description.ts';

type Tag = { readonly name: string; readonly data: Buffer };

/** A profile of these tags, one after the other. */
function profileOf(...tags: readonly Tag[]): Buffer {
  const header = Buffer.alloc(132 + 12 * tags.length);
  header.write('acsp', 36, 'latin1');
  header.writeUInt32BE(tags.length, 128);
  let offset = header.length;
  tags.forEach(({ name, data }, index) => {
    const at = 132 + 12 * index;
    header.write(name, at, 'latin1');
    header.writeUInt32BE(offset, at + 4);
    header.writeUInt32BE(data.length, at + 8);
    offset += data.length;
  });
  const profile = Buffer.concat([header, ...tags.map(({ data }) => data)]);
  profile.writeUInt32BE(profile.length, 0);
  return profile;
}

/** Version 2: text in ASCII, its length with the zero at its end. */
function ascii(text: string): Buffer {
  const head = Buffer.alloc(12);
  head.write('desc', 0, 'latin1');
  head.writeUInt32BE(text.length + 1, 8);
  return Buffer.concat([head, Buffer.from(`${text}\0`, 'latin1')]);
}

/** Version 4: text in UTF-16 for one language. */
function localised(text: string): Buffer {
  const head = Buffer.alloc(28);
  head.write('mluc', 0, 'latin1');
  head.writeUInt32BE(1, 8);
  head.writeUInt32BE(12, 12);
  head.write('enUS', 16, 'latin1');
  head.writeUInt32BE(2 * text.length, 20);
  head.writeUInt32BE(28, 24);
  return Buffer.concat([head, Buffer.from(text, 'utf16le').swap16()]);
}

const named = (data: Buffer): Buffer => profileOf({ name: 'desc', data });

function changed(profile: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(profile);
  copy.writeUInt32BE(value, at);
  return copy;
}

describe('the name of a colour profile', () => {
  for (const [what, profile, name] of [
    ['in version 2', named(ascii('sRGB IEC61966-2.1')), 'sRGB IEC61966-2.1'],
    ['in version 4', named(localised('Display P3 – écran')), 'Display P3 – écran'],
    [
      'behind other tags',
      profileOf({ name: 'wtpt', data: Buffer.alloc(20) }, { name: 'desc', data: ascii('P3') }),
      'P3',
    ],
    ['in a profile that its file pads', Buffer.concat([named(ascii('P3')), Buffer.alloc(3)]), 'P3'],
    ['without control characters and spaces around it', named(ascii(' a\u0007b\0\0 ')), 'ab'],
    ['though it claims to be larger than it is', changed(named(ascii('P3')), 0, 0xffffffff), 'P3'],
    ['though it claims more tags than it has', changed(named(ascii('P3')), 128, 99), 'P3'],
    ['though it claims a longer text than it has', changed(named(localised('P3')), 164, 0xffffffff), 'P3'],
    ['though its signature is another', changed(named(ascii('P3')), 36, 0), 'P3'],
    ['though it claims four thousand million tags', changed(named(ascii('P3')), 128, 0xffffffff), 'P3'],
    ['though its tag claims no bytes', changed(named(ascii('P3')), 140, 0), 'P3'],
    ['though its text claims to be longer than the file', changed(named(ascii('P3')), 152, 0xfffffff0), 'P3'],
    ['in Latin-1', named(ascii('ISO Coated für Offset')), 'ISO Coated für Offset'],
    [
      'before a copyright that lies far behind it',
      profileOf(
        { name: 'desc', data: ascii('P3') },
        { name: 'CLUT', data: Buffer.alloc(20_000) },
        { name: 'cprt', data: ascii('c') },
      ),
      'P3',
    ],
    ['cut at 100 characters', named(localised('x'.repeat(5_000))), 'x'.repeat(100)],
    ['without half of a surrogate pair', named(localised('half \ud83d of one')), 'half  of one'],
    ['cut before a pair that does not fit', named(localised(`${'x'.repeat(99)}😀`)), 'x'.repeat(99)],
  ] as const) {
    test(what, () => assert.equal(iccDescription(profile), name));
  }
});

describe('a profile whose claims are false has no name, and costs nothing', () => {
  const good = named(ascii('P3'));
  for (const [what, profile] of [
    ['no bytes', Buffer.alloc(0)],
    ['a header alone', good.subarray(0, 132)],
    ['cut in its tags', good.subarray(0, 140)],
    ['a tag beyond its end', changed(good, 136, 0xfffffff0)],
    ['a name that is three numbers', named(Buffer.concat([Buffer.from('XYZ \0\0\0\0'), Buffer.alloc(12, 1)]))],
    ['a text in UTF-16 that starts beyond its end', changed(named(localised('P3')), 168, 0xffffffff)],
    ['an empty name', named(ascii(''))],
  ] as const) {
    test(what, { timeout: 5_000 }, () => assert.equal(iccDescription(profile), null));
  }

  test('megabytes of text take no memory', () => {
    const names = ['desc', 'cprt', 'dmdd', 'vued'];
    const data = localised('x'.repeat(4_000_000));
    const profile = profileOf(...names.map((name) => ({ name, data: name === 'vued' ? data : data.subarray(0, 28) })));
    const before = process.memoryUsage().heapUsed;
    iccDescription(profile);
    assert.ok(process.memoryUsage().heapUsed - before < 20_000_000);
  });

  test('any bytes changed in it', () => {
    for (const profile of [good, named(localised('P3'))]) {
      for (let at = 0; at < profile.length; at += 1) {
        const copy = Buffer.from(profile);
        copy[at] = 0xff;
        assert.ok((iccDescription(copy)?.length ?? 0) <= 100);
      }
    }
  });
});
