import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { cpuMsOf } from '../../test/harness/cpu-time.ts';
import {
  blackPng,
  flat,
  jpegFrame,
  jpegSegment,
  noise,
  openPictureFolder,
  PNG_SIGNATURE,
  pngChunk,
  pngHeader,
  webpChunk,
  webpExtended,
  webpFile,
} from '../../test/harness/pictures.ts';
import { openImagePool } from './image-pool.ts';
import { type ImageReport, inspectImage } from './inspect.ts';
import type { ImageFault } from './sniff/header.ts';

const folder = openPictureFolder();
const pool = openImagePool();
after(async () => {
  await pool.close();
  folder.remove();
});

const inspect = async (bytes: Uint8Array): Promise<ImageReport | ImageFault> =>
  inspectImage(pool, await folder.save(bytes));

const codeOf = async (bytes: Uint8Array): Promise<string> => {
  const report = await inspect(bytes);
  return report.kind === 'ok' ? 'ok' : report.code;
};

const report = async (bytes: Uint8Array): Promise<ImageReport> => {
  const found = await inspect(bytes);
  assert.ok(found.kind === 'ok', JSON.stringify(found));
  return found;
};

const text = (words: string): Buffer => Buffer.from(words, 'latin1');
const SVG_WITH_ENTITY = '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg>&x;</svg>';
const OTHER_FORMATS: readonly (readonly [string, Uint8Array])[] = [
  ['GIF', await flat(4, 4, 'red').gif().toBuffer()],
  ['AVIF', await flat(16, 16, 'red').avif().toBuffer()],
  ['TIFF', await flat(4, 4, 'red').tiff().toBuffer()],
  ['BMP', Buffer.concat([text('BM'), Buffer.alloc(60)])],
  ['SVG', text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
  ['SVG that names a file of the machine', text(SVG_WITH_ENTITY)],
  ['PDF', text('%PDF-1.7\n1 0 obj<<>>endobj\n%%EOF')],
  ['HEIC', Buffer.concat([Buffer.from([0, 0, 0, 24]), text('ftypheic'), Buffer.alloc(40)])],
  ['JPEG 2000', Buffer.concat([Buffer.from('0000000c6a5020200d0a870a', 'hex'), Buffer.alloc(40)])],
  ['ICO', Buffer.concat([Buffer.from([0, 0, 1, 0, 1, 0]), Buffer.alloc(40)])],
  ['HTML', text('<!doctype html><img src="https://example.com/x.png">')],
  ['empty file', Buffer.alloc(0)],
  ['one byte', Buffer.from([0x89])],
  ['RIFF that is not WebP', Buffer.concat([text('RIFF'), Buffer.alloc(4), text('WAVE')])],
];

describe('8 format: it is detected by content: only PNG, JPEG and WebP are accepted (H125, H126, H138, H139)', () => {
  for (const [name, bytes] of OTHER_FORMATS) {
    test(`${name} is refused as format`, async () => assert.equal(await codeOf(bytes), 'format'));
  }
  const accepted = { png: 'image/png', jpeg: 'image/jpeg', webp: 'image/webp' } as const;
  for (const [format, mime] of Object.entries(accepted)) {
    test(`${mime} is accepted whatever the file is called, with its true size`, async () => {
      const bytes = await noise(37, 21)
        .toFormat(format === 'png' ? 'png' : format === 'jpeg' ? 'jpeg' : 'webp')
        .toBuffer();
      const found = await report(bytes);
      assert.deepEqual([found.mime, found.widthPx, found.heightPx, found.pages], [mime, 37, 21, 1]);
      assert.deepEqual([found.animated, found.hasAlpha, found.colourSpace, found.bitDepth], [false, false, 'srgb', 8]);
    });
  }
});

const PIXELS_OF_NOTHING = pngChunk('IDAT', deflateSync(Buffer.alloc(2)));
const CLAIMS: readonly (readonly [string, Uint8Array, string])[] = [
  ['PNG of 12,000 x 1', blackPng(12_000, 1), 'ok'],
  ['PNG of 12,001 x 1', blackPng(12_001, 1), 'dimensions'],
  ['PNG of 1 x 12,001', blackPng(1, 12_001), 'dimensions'],
  ['PNG of exactly 60,000,000 pixels', blackPng(12_000, 5_000), 'ok'],
  ['PNG of 60,000,516 pixels', blackPng(7_746, 7_746), 'dimensions'],
  ['PNG of 60,004,000 pixels', blackPng(11_999, 5_001), 'dimensions'],
  [
    'PNG that claims 2^31 x 2^31',
    Buffer.concat([PNG_SIGNATURE, pngHeader(2 ** 31, 2 ** 31), PIXELS_OF_NOTHING]),
    'dimensions',
  ],
  [
    'JPEG that claims 65,500 x 65,500',
    Buffer.concat([Buffer.from([0xff, 0xd8]), jpegFrame(65_500, 65_500)]),
    'dimensions',
  ],
  ['WebP with a canvas of 2^24 x 2^24', webpFile(webpExtended(2 ** 24, 2 ** 24)), 'dimensions'],
  ['PNG that claims no width', Buffer.concat([PNG_SIGNATURE, pngHeader(0, 9), PIXELS_OF_NOTHING]), 'corrupt'],
];

describe('8 dimensions: at most 12,000 pixels on a side and 60 megapixels, refused before anything is allocated (H127, H128)', () => {
  for (const [name, bytes, code] of CLAIMS)
    test(`${name}: ${code}`, async () => assert.equal(await codeOf(bytes), code));
});

test('8 size: a picture of exactly 52,428,800 bytes is accepted, and one of a byte more is refused', async () => {
  const padding = (bytes: number): Buffer => pngChunk('prIv', Buffer.alloc(bytes - blackPng(8, 8).length - 12));
  const codes = [];
  for (const bytes of [52_428_800, 52_428_801]) {
    const picture = blackPng(8, 8, padding(bytes));
    assert.equal(picture.length, bytes);
    codes.push(await codeOf(picture));
  }
  assert.deepEqual(codes, ['ok', 'size']);
});

const PNG = await noise(24, 24).png().toBuffer();
const JPEG = await noise(24, 24).jpeg().toBuffer();
const PROGRESSIVE = await noise(24, 24).jpeg({ progressive: true }).toBuffer();
const LOSSY = await noise(24, 24).webp().toBuffer();
const LOSSLESS = await noise(24, 24).webp({ lossless: true }).toBuffer();
const WHOLE: readonly (readonly [string, Buffer, number])[] = [
  ['PNG', PNG, 8],
  ['baseline JPEG', JPEG, 2],
  ['progressive JPEG', PROGRESSIVE, 2],
  ['lossy WebP', LOSSY, 12],
  ['lossless WebP', LOSSLESS, 12],
];

/** Every n-th position, the first and the last ones among them. */
const positions = (from: number, to: number, stride: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index).filter(
    (at) => (at - from) % stride === 0 || at > to - 4,
  );

describe('a file that is not whole is refused as corrupt (7 upload codes, H131)', () => {
  for (const [name, whole, signature] of WHOLE) {
    test(`${name} cut off at any byte after its signature`, async () => {
      assert.equal(await codeOf(whole), 'ok');
      for (const at of positions(signature, whole.length, 5)) {
        assert.equal(await codeOf(whole.subarray(0, at)), 'corrupt', `cut at ${at} of ${whole.length}`);
      }
    });
  }

  test('a PNG whose pixels stop early, in chunks that are whole', async () => {
    const pixels = deflateSync(Buffer.alloc(25 * 24));
    const file = (data: Uint8Array): Buffer =>
      Buffer.concat([PNG_SIGNATURE, pngHeader(24, 24, 8), pngChunk('IDAT', data), pngChunk('IEND', Buffer.alloc(0))]);
    assert.equal(await codeOf(file(pixels)), 'ok');
    for (const at of [0, 1, 2, pixels.length >> 1]) assert.equal(await codeOf(file(pixels.subarray(0, at))), 'corrupt');
    assert.equal(await codeOf(file(deflateSync(Buffer.alloc(25 * 23)))), 'corrupt');
  });

  test('a WebP whose pixels stop early, with sizes that say so', async () => {
    for (const [type, whole] of [
      ['VP8 ', LOSSY],
      ['VP8L', LOSSLESS],
    ] as const) {
      for (const at of positions(40, whole.length - 20, 40)) {
        assert.equal(
          await codeOf(webpFile(webpChunk(type, whole.subarray(20, at)))),
          'corrupt',
          `${type} closed at ${at}`,
        );
      }
    }
  });

  test('a PNG with a byte changed among its pixels', async () => {
    for (const at of positions(60, PNG.length - 20, 100)) {
      const changed = Buffer.from(PNG);
      changed[at] = (changed[at] ?? 0) ^ 0x10;
      assert.equal(await codeOf(changed), 'corrupt', `changed at ${at}`);
    }
  });
});

/** The JPEG with one of its segments, or its last scan, repeated in place. */
function repeated(jpeg: Buffer, marker: number, times: number): Buffer {
  const at =
    marker === 0xda ? jpeg.lastIndexOf(Buffer.from([0xff, marker])) : jpeg.indexOf(Buffer.from([0xff, marker]));
  const end = marker === 0xda ? jpeg.length - 2 : at + 2 + jpeg.readUInt16BE(at + 2);
  const part = jpeg.subarray(at, end);
  return Buffer.concat([jpeg.subarray(0, end), ...Array.from({ length: times }, () => part), jpeg.subarray(end)]);
}

const lossySize = (whole: Buffer): Buffer => webpChunk('VP8 ', whole.subarray(20));
const withThumbnail = jpegSegment(0xe1, Buffer.concat([text('Exif\0\0'), await noise(160, 120).jpeg().toBuffer()]));
const DISAGREEMENTS: readonly (readonly [string, Uint8Array, string])[] = [
  ['signature of a PNG alone', PNG_SIGNATURE, 'corrupt'],
  ['signature of a JPEG alone', Buffer.from([0xff, 0xd8, 0xff]), 'corrupt'],
  ['signature of a WebP alone', LOSSY.subarray(0, 12), 'corrupt'],
  ['PNG with two headers', blackPng(9, 9, pngHeader(3, 3)), 'corrupt'],
  ['JPEG with two frames', repeated(JPEG, 0xc0, 1), 'corrupt'],
  ['WebP whose header and picture differ in size', webpFile(webpExtended(25, 24), lossySize(LOSSY)), 'corrupt'],
  ['WebP whose header and picture agree', webpFile(webpExtended(24, 24), lossySize(LOSSY)), 'ok'],
  ['WebP with two pictures', webpFile(webpExtended(24, 24), lossySize(LOSSY), lossySize(LOSSY)), 'corrupt'],
  [
    'JPEG with a larger thumbnail before its picture',
    Buffer.concat([JPEG.subarray(0, 2), withThumbnail, JPEG.subarray(2)]),
    'ok',
  ],
];

describe('a header that disagrees with the picture does not pass, and a thumbnail is not taken for it (8 dimensions, H132, H139)', () => {
  for (const [name, bytes, code] of DISAGREEMENTS)
    test(`${name}: ${code}`, async () => assert.equal(await codeOf(bytes), code));

  test('the size reported beside a thumbnail is the true one', async () => {
    const found = await report(Buffer.concat([JPEG.subarray(0, 2), withThumbnail, JPEG.subarray(2)]));
    assert.deepEqual([found.widthPx, found.heightPx], [24, 24]);
  });
});

describe('pictures made to exhaust the decoder', () => {
  test('a JPEG of more than 100 scans is refused as corrupt within 100 ms and starts no decoder (H130)', async () => {
    const unused = openImagePool();
    const path = await folder.save(repeated(await noise(400, 400).jpeg({ progressive: true }).toBuffer(), 0xda, 800));
    const cpuMs = await cpuMsOf(async () => {
      const found = await inspectImage(unused, path);
      assert.equal(found.kind === 'refused' && found.code, 'corrupt');
    });
    assert.ok(cpuMs < 100, `${cpuMs} ms`);
    assert.deepEqual(unused.pids(), []);
    await unused.close();
  });

  test('text and profile chunks that unpack to hundreds of megabytes do not grow the decoder (H129)', async () => {
    const bomb = deflateSync(Buffer.alloc(200_000_000));
    const zTXt = pngChunk('zTXt', Buffer.concat([text('a\0\0'), bomb]));
    const iTXt = pngChunk('iTXt', Buffer.concat([text('a\0\x01\0\0\0'), bomb]));
    const iCCP = pngChunk('iCCP', Buffer.concat([text('a\0\0'), bomb]));
    const largest = await largestRss(async () => {
      for (const chunk of [zTXt, iTXt, iCCP]) {
        assert.match(await codeOf(blackPng(64, 64, chunk)), /^(ok|corrupt)$/);
      }
    });
    assert.ok(largest < 160, `${largest} MiB`);
  });

  test('pictures that each need most of the memory wait for one another: the pool stays within 600 MiB (H140)', async () => {
    const bytes = await flat(10_000, 6_000, '#c04020')
      .removeAlpha()
      .jpeg({ progressive: true, chromaSubsampling: '4:4:4', optimiseScans: false })
      .toBuffer();
    const path = await folder.save(bytes);
    const largest = await largestRss(async () => {
      const reports = await Promise.all(Array.from({ length: 4 }, () => inspectImage(pool, path)));
      assert.ok(reports.every((found) => found.kind === 'ok'));
    });
    assert.ok(largest <= 600, `${largest} MiB`);
  });
});

/** The most memory that the children of the pool were seen to hold together during a step, in MiB; 0 off Linux. */
async function largestRss(step: () => Promise<void>): Promise<number> {
  let largest = 0;
  const timer = setInterval(() => {
    largest = Math.max(
      largest,
      pool.pids().reduce((sum, pid) => sum + rssMib(pid), 0),
    );
  }, 5);
  await step();
  clearInterval(timer);
  return largest;
}

describe('what a picture is, as a person sees it', () => {
  test('all eight EXIF orientations are reported upright; values that do not exist count as upright (H136)', async () => {
    for (let orientation = 1; orientation <= 8; orientation += 1) {
      const found = await report(await noise(30, 20).withMetadata({ orientation }).jpeg().toBuffer());
      assert.deepEqual([found.widthPx, found.heightPx], orientation < 5 ? [30, 20] : [20, 30], String(orientation));
    }
  });

  test('EXIF whose directories lead back to themselves is read once, and the picture is taken as it is (H136)', async () => {
    // Little endian; one directory with the orientation and a link to a further one, and both lead to the beginning.
    const entries = Buffer.from('020012010300010000000600000069870400010000000800000008000000', 'hex');
    const exif = Buffer.concat([text('Exif\0\0II*\0'), Buffer.from([8, 0, 0, 0]), entries]);
    const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), exif]);
    const plain = await noise(30, 20).jpeg().toBuffer();
    const found = await report(Buffer.concat([plain.subarray(0, 2), segment, plain.subarray(2)]));
    assert.deepEqual([found.widthPx, found.heightPx], [20, 30], 'turned as its first directory says');
  });

  test('an animated PNG or WebP is accepted as animated, with the number of its pages (H134)', async () => {
    const control = Buffer.alloc(8);
    control.writeUInt32BE(3, 0);
    const apng = await report(blackPng(9, 9, pngChunk('acTL', control)));
    assert.deepEqual([apng.animated, apng.pages, apng.widthPx], [true, 3, 9]);
    const frames = await Promise.all(['red', 'lime', 'blue'].map((colour) => flat(20, 10, colour).png().toBuffer()));
    const webp = await report(
      await sharp(frames, { join: { animated: true } })
        .webp({ loop: 0 })
        .toBuffer(),
    );
    assert.deepEqual([webp.animated, webp.pages, webp.widthPx, webp.heightPx], [true, 3, 20, 10]);
  });

  test('an animated WebP of 300 frames decodes its first frame alone (H134)', async () => {
    const frames = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        flat(40, 40, `rgb(${(index * 97) % 256},${(index * 31) % 256},9)`)
          .png()
          .toBuffer(),
      ),
    );
    const found = await report(
      await sharp(frames, { join: { animated: true } })
        .webp({ effort: 0 })
        .toBuffer(),
    );
    assert.deepEqual([found.animated, found.heightPx, found.pages], [true, 40, 300]);
  });

  test('colour space, depth, transparency, density and profile are reported', async () => {
    const rows: readonly (readonly [Uint8Array, Partial<ImageReport>])[] = [
      [
        await flat(9, 9, 'red').toColourspace('cmyk').jpeg().toBuffer(),
        { colourSpace: 'cmyk', hasAlpha: false, isWideGamut: false },
      ],
      [
        await flat(9, 9, 'red').toColourspace('rgb16').png().toBuffer(),
        { colourSpace: 'rgb16', bitDepth: 16, hasAlpha: true },
      ],
      [
        await flat(9, 9, 'red').withIccProfile('p3').png().toBuffer(),
        { colourSpace: 'srgb', iccProfile: 'sP3C', isWideGamut: true },
      ],
      [
        await flat(9, 9, 'red').toColourspace('rgb16').withIccProfile('p3').png().toBuffer(),
        { colourSpace: 'rgb16', isWideGamut: true },
      ],
      [await flat(9, 9, 'red').withIccProfile('srgb').png().toBuffer(), { iccProfile: 'sRGB', isWideGamut: false }],
      [
        await flat(9, 9, 'red').removeAlpha().toColourspace('b-w').png().toBuffer(),
        { colourSpace: 'b-w', hasAlpha: false },
      ],
      [await noise(9, 9).withDensity(300).jpeg().toBuffer(), { dpi: 300, iccProfile: null }],
      [blackPng(9, 9), { colourSpace: 'b-w', bitDepth: 8, dpi: 72 }],
    ];
    for (const [bytes, expected] of rows) {
      const found = await report(bytes);
      assert.deepEqual({ ...found, ...expected }, found);
    }
  });
});

describe('the background that would be printed as a box is found, however the picture is stored', () => {
  const logo = (ground: string) =>
    flat(200, 300, ground).composite([
      { input: { create: { width: 80, height: 80, channels: 4, background: 'red' } } },
    ]);
  const rows: readonly (readonly [string, Promise<Buffer>, string | null])[] = [
    ['a PNG without transparency', logo('white').removeAlpha().png().toBuffer(), '#ffffff'],
    ['a PNG with transparency that it does not use', logo('white').png().toBuffer(), '#ffffff'],
    ['a PNG with a transparent background', logo('#00000000').png().toBuffer(), null],
    ['a PNG of 16 bits', logo('white').removeAlpha().toColourspace('rgb16').png().toBuffer(), '#ffffff'],
    ['a PNG in grey', logo('black').removeAlpha().toColourspace('b-w').png().toBuffer(), '#000000'],
    ['a PNG with a palette', logo('white').png({ palette: true }).toBuffer(), '#ffffff'],
    ['a JPEG', logo('white').jpeg().toBuffer(), '#ffffff'],
    ['a WebP', logo('#ffffff').webp({ lossless: true }).toBuffer(), '#ffffff'],
    ['a WebP with a transparent background', logo('#00000000').webp().toBuffer(), null],
    ['a photograph', noise(200, 300).jpeg().toBuffer(), null],
    ['a plain rectangle', flat(200, 300, '#c02040').png().toBuffer(), null],
  ];
  for (const [what, bytes, colour] of rows) {
    test(what, async () => assert.equal((await report(await bytes)).edgeColour, colour));
  }

  test('a JPEG in CMYK', async () => {
    const { edgeColour } = await report(await logo('white').toColourspace('cmyk').jpeg().toBuffer());
    assert.match(edgeColour ?? '', /^#f.f.f.$/);
  });
});

test('a child killed from outside in the middle of a picture costs a second try and nothing else', async () => {
  const path = await folder.save(await noise(2_000, 2_000).png({ compressionLevel: 0 }).toBuffer());
  const inspection = inspectImage(pool, path);
  for (let tries = 0; pool.pids().length === 0 && tries < 1_000; tries += 1) await nextTick();
  for (const pid of pool.pids()) process.kill(pid, 'SIGKILL');
  assert.equal((await inspection).kind, 'ok');
  assert.equal(await codeOf(PNG), 'ok');
});

/** Resident memory of a process in MiB; 0 where the system does not tell, or when the process is gone. */
function rssMib(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
