import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, describe, test } from 'node:test';
import sharp from 'sharp';
import { flat, inkBox, noise, openPictureFolder, pixelAt, pngChunks } from '../../test/harness/pictures.ts';
import type { Drawing, PictureDrawing, TextDrawing } from './drawing.ts';
import { openImagePool, type Template } from './image-pool.ts';
import { passingFiles } from './passing-files.ts';
import { judgeTexts, personalise } from './personalise.ts';

const folder = openPictureFolder();
const pool = openImagePool();
after(async () => {
  await pool.close();
  folder.remove();
});

const TEMPLATE: Template = { widthPx: 600, heightPx: 200, dpi: 300 };
const WHOLE = { left: 0, top: 0, width: 600, height: 200 };

function words(text: string, changes: Partial<TextDrawing> = {}): TextDrawing {
  const sizePx = { min: 10, max: 100 };
  return { kind: 'text', box: WHOLE, text, font: 'Noto Sans', color: '#305090', align: 'centre', sizePx, ...changes };
}

function picture(path: string, changes: Partial<PictureDrawing> = {}): PictureDrawing {
  return { kind: 'picture', box: WHOLE, fit: 'cover', designHash: path, ...changes };
}

/** The print file of some drawings. The tests' designs are named by their paths. */
async function printFile(drawings: readonly Drawing[], template = TEMPLATE): Promise<string> {
  const targetPath = folder.path();
  const made = await personalise(pool, { version: 3, template, drawings, targetPath, pathOf: async (path) => path });
  assert.equal(made.kind, 'ok', JSON.stringify(made));
  return targetPath;
}

type Ink = {
  /** The same for the same shapes in the same place. */
  readonly shape: string;
  readonly width: number;
  readonly height: number;
  readonly inkedPx: number;
  /** How many clearly different colours there are. */
  readonly colours: number;
};

/** What a text leaves on the canvas, cut to its ink so that its place does not matter. */
async function inkOf(text: string, changes: Partial<TextDrawing> = {}, template = TEMPLATE): Promise<Ink> {
  const path = await printFile([words(text, changes)], template);
  const box = await inkBox(path);
  assert.ok(box, `${text} left no ink`);
  const [left, top, right, bottom] = box;
  const area = { left, top, width: right - left, height: bottom - top };
  const pixels = await sharp(path).extract(area).raw().toBuffer();
  const colours = new Set<number>();
  let inkedPx = 0;
  for (let at = 0; at < pixels.length; at += 4) {
    if ((pixels[at + 3] ?? 0) < 250) continue;
    inkedPx += 1;
    colours.add(((pixels[at] ?? 0) >> 5) * 64 + ((pixels[at + 1] ?? 0) >> 5) * 8 + ((pixels[at + 2] ?? 0) >> 5));
  }
  const shape = createHash('sha256').update(pixels).digest('hex');
  return { shape, width: area.width, height: area.height, inkedPx, colours: colours.size };
}

const SIZE_60 = { sizePx: { min: 60, max: 60 } };

describe('3.2 personalised: a print file of the template’s pixels, density and colour space', () => {
  test('it is a PNG of exactly the template, in sRGB of 8 bits, and carries no other data', async () => {
    const path = await printFile([words('Hello')], { ...TEMPLATE, dpi: 150 });
    const found = await sharp(path).metadata();
    assert.deepEqual(
      [found.format, found.width, found.height, found.density, found.space, found.depth, found.hasAlpha],
      ['png', 600, 200, 150, 'srgb', 'uchar', true],
    );
    assert.deepEqual([...new Set(pngChunks(await readFile(path)))], ['IHDR', 'iCCP', 'pHYs', 'IDAT', 'IEND']);
  });

  test('a file of version 1 has the same pixels and no profile: placed orders keep what they were placed with', async () => {
    const drawings = [words('Hello')];
    const targetPath = folder.path();
    const pathOf = async (path: string): Promise<string> => path;
    await personalise(pool, { version: 1, template: TEMPLATE, drawings, targetPath, pathOf });
    assert.deepEqual([...new Set(pngChunks(await readFile(targetPath)))], ['IHDR', 'pHYs', 'IDAT', 'IEND']);
    const pixelsOf = (path: string) => sharp(path, { ignoreIcc: true }).raw().toBuffer();
    assert.deepEqual(await pixelsOf(await printFile(drawings)), await pixelsOf(targetPath));
  });

  test('equal drawings give equal bytes, whichever child draws them', async () => {
    const source = await folder.save(await noise(120, 90).jpeg().toBuffer());
    const drawings = [picture(source, { fit: 'contain' }), words('مرحبا 日本 👩‍🚀 fjord', { font: 'Pacifico' })];
    const first = await readFile(await printFile(drawings));
    const others = openImagePool();
    try {
      const targetPath = folder.path();
      await personalise(others, { version: 3, template: TEMPLATE, drawings, targetPath, pathOf: async (path) => path });
      assert.deepEqual(await readFile(targetPath), first);
    } finally {
      await others.close();
    }
  });

  test('without drawings it is empty', async () => {
    assert.equal(await inkBox(await printFile([])), undefined);
  });

  test('what cannot be drawn fails in words for people, and leaves no file behind', async () => {
    const broken = await folder.save(Buffer.from('<svg/>'));
    const whole = await noise(80, 80).png().toBuffer();
    const damaged = await folder.save(whole.subarray(0, whole.length / 2));
    const rows = [
      [picture(broken)],
      [picture(damaged)],
      [words('a'.repeat(500))],
      [words('a', { font: '../../x.ttf' })],
    ];
    for (const drawings of rows) {
      const targetPath = folder.path();
      const made = await personalise(pool, {
        version: 3,
        template: TEMPLATE,
        drawings,
        targetPath,
        pathOf: async (path) => path,
      });
      assert.equal(made.kind, 'failed');
      assert.match(
        made.kind === 'failed' ? made.message : '',
        /^The personalised piece cannot be made print-ready: [^/]+\.$/,
      );
      for (const left of [targetPath, ...passingFiles(targetPath)]) assert.ok(!existsSync(left), left);
    }
  });

  test('a design whose bytes cannot be read is tried again later', async () => {
    const pathOf = async (): Promise<string> => {
      throw new Error('not there');
    };
    const targetPath = folder.path();
    const request = { version: 3, template: TEMPLATE, drawings: [picture('x')], targetPath, pathOf } as const;
    await assert.rejects(personalise(pool, request), /not there/);
  });
});

describe('4.2 text: every script is drawn with its own letters, and none as boxes (I142)', () => {
  test('Latin, Greek, Cyrillic, Arabic, Japanese, Devanagari and emoji have different shapes for different letters', async () => {
    // A box for a missing letter would be the same for both of a row, and the same in all rows.
    const rows = [
      ['n', 'o'],
      ['λ', 'ω'],
      ['ж', 'д'],
      ['س', 'ح'],
      ['あ', 'ん'],
      ['日', '語'],
      ['髙', '𠮷'],
      ['ज', 'ह'],
      ['😀', '🚀'],
    ];
    const shapes = await Promise.all(rows.flat().map(async (letter) => (await inkOf(letter)).shape));
    assert.equal(new Set(shapes).size, rows.flat().length);
  });

  test('Arabic letters are joined and run from right to left', async () => {
    const joined = await inkOf('بيت', SIZE_60);
    const apart = await inkOf('ب\u200cي\u200cت', SIZE_60);
    assert.notEqual(joined.shape, apart.shape);
    assert.ok(joined.width < apart.width, 'joined letters are narrower than letters by themselves');
    // Its first letter, with the dot below, is the rightmost: the last third of the ink reaches lowest.
    const path = await printFile([words('باااا', SIZE_60)]);
    const [left = 0, , right = 0, bottom = 0] = (await inkBox(path)) ?? [];
    const lowest = await sharp(path)
      .extract({ left, top: bottom - 3, width: right - left, height: 3 })
      .raw()
      .toBuffer();
    const columns = [...lowest.keys()]
      .filter((at) => at % 4 === 3 && (lowest[at] ?? 0) > 128)
      .map((at) => (at >> 2) % (right - left));
    assert.ok(Math.min(...columns) > (right - left) / 2, 'the dot of the first letter is on the right');
  });

  test('Japanese letters have an em each, and each its own strokes', async () => {
    const [one, two] = [await inkOf('日', SIZE_60), await inkOf('日本', SIZE_60)];
    assert.ok(Math.abs(two.width - one.width - 60) <= 12, `${one.width} and ${two.width}`);
    const [simple, dense] = [await inkOf('一', SIZE_60), await inkOf('鬱', SIZE_60)];
    assert.ok(dense.inkedPx > 3 * simple.inkedPx, 'a character of 29 strokes has more ink than one of a single stroke');
  });

  test('emoji come in colours of their own, letters in the layer’s', async () => {
    assert.ok((await inkOf('🦜')).colours >= 5);
    assert.equal((await inkOf('A')).colours, 1);
    const path = await printFile([words('■', { color: '#ff8000' })]);
    const [left = 0, top = 0, right = 0, bottom = 0] = (await inkBox(path)) ?? [];
    assert.deepEqual(await pixelAt(path, (left + right) >> 1, (top + bottom) >> 1), [255, 128, 0, 255]);
  });

  test('an emoji of several parts is one picture, as wide as a single one', async () => {
    const [one, joined, apart] = [
      await inkOf('👩', SIZE_60),
      await inkOf('👩‍🚀', SIZE_60),
      await inkOf('👩🚀', SIZE_60),
    ];
    assert.ok(Math.abs(joined.width - one.width) < 12 && apart.width > one.width * 1.6);
    assert.notEqual(joined.shape, one.shape);
  });

  test('each family has its own letters', async () => {
    const shapes = ['Noto Sans', 'Oswald', 'Pacifico', 'Noto Sans JP'].map(
      async (font) => (await inkOf('Ragged', { font })).shape,
    );
    assert.equal(new Set(await Promise.all(shapes)).size, 4);
  });

  test('composed and decomposed letters of one face are drawn alike', async () => {
    assert.equal((await inkOf('e\u0301', SIZE_60)).shape, (await inkOf('é', SIZE_60)).shape);
  });

  test('I150 markup and code in a text are letters like any other', async () => {
    const plain = await inkOf('</text><image href=x>', { sizePx: { min: 20, max: 20 } });
    const other = await inkOf('</text><image href=y>', { sizePx: { min: 20, max: 20 } });
    assert.notEqual(plain.shape, other.shape);
    assert.ok(Math.abs(plain.width - other.width) <= 3);
  });
});

describe('4.2 layout: positions and sizes come from the template', () => {
  test('text stays in its box, at the largest size that fits, left, right or in the middle', async () => {
    const box = { left: 100, top: 50, width: 400, height: 100 };
    const boxes = new Map<string, readonly number[]>();
    for (const align of ['left', 'centre', 'right'] as const) {
      const found = await inkBox(await printFile([words('Hill', { box, align })]));
      assert.ok(
        found && found[0] >= 100 && found[1] >= 50 && found[2] <= 500 && found[3] <= 150,
        JSON.stringify(found),
      );
      boxes.set(align, found);
    }
    assert.ok((boxes.get('left')?.[0] ?? 0) < 112 && (boxes.get('right')?.[2] ?? 0) > 488);
    const [left = 0, , right = 0] = boxes.get('centre') ?? [];
    assert.ok(Math.abs((left + right) / 2 - 300) <= 4);
  });

  test('swashes and high marks stay whole: no ink touches what would cut it', async () => {
    const template = { widthPx: 1_200, heightPx: 800, dpi: 300 };
    for (const text of ['fjf', 'Ǻjy', 'J́f']) {
      for (const font of ['Noto Sans', 'Pacifico']) {
        const free = { box: { left: 0, top: 0, width: 1_200, height: 800 }, sizePx: { min: 200, max: 200 } };
        const tight = { box: { left: 20, top: 20, width: 300, height: 700 }, sizePx: { min: 10, max: 800 } };
        const [small, large] = [
          await inkOf(text, { font, ...free }, template),
          await inkOf(text, { font, ...tight }, template),
        ];
        const [across, down] = [large.width / small.width, large.height / small.height];
        assert.ok(Math.abs(across / down - 1) < 0.03, `${text} in ${font} is cut: ${across} and ${down}`);
        assert.ok(large.width <= 302 && large.width >= 280, `${text} in ${font} fills its box: ${large.width}`);
      }
    }
  });

  test('what has a higher place covers what has a lower one', async () => {
    const red = await folder.save(await flat(60, 20, '#ff0000').png().toBuffer());
    const blue = await folder.save(await flat(60, 20, '#0000ff').png().toBuffer());
    const at = async (...drawings: Drawing[]) => pixelAt(await printFile(drawings), 300, 100);
    assert.deepEqual(await at(picture(red), picture(blue)), [0, 0, 255, 255]);
    assert.deepEqual(await at(picture(blue), picture(red)), [255, 0, 0, 255]);
    assert.deepEqual(await at(picture(blue), words('■', { color: '#00ff00' })), [0, 255, 0, 255]);
  });
});

describe('4.2 image: a picture covers its box or is seen whole in it', () => {
  const box = { left: 100, top: 50, width: 200, height: 100 };

  test('cover fills the box and is cut at its edges, contain leaves the rest empty', async () => {
    // Red, green and blue thirds from top to bottom.
    const thirds = await folder.save(
      await sharp({ create: { width: 90, height: 90, channels: 3, background: '#00ff00' } })
        .composite([
          { input: { create: { width: 90, height: 15, channels: 3, background: '#ff0000' } }, left: 0, top: 0 },
          { input: { create: { width: 90, height: 15, channels: 3, background: '#0000ff' } }, left: 0, top: 75 },
        ])
        .png()
        .toBuffer(),
    );
    const covering = await printFile([picture(thirds, { box, fit: 'cover' })]);
    assert.deepEqual(await inkBox(covering), [100, 50, 300, 150]);
    assert.deepEqual(await pixelAt(covering, 200, 52), [0, 255, 0, 255], 'the upper sixth is outside');
    const contained = await printFile([picture(thirds, { box, fit: 'contain' })]);
    assert.deepEqual(await inkBox(contained), [150, 50, 250, 150]);
    assert.deepEqual(await pixelAt(contained, 200, 52), [255, 0, 0, 255]);
    assert.deepEqual(await pixelAt(contained, 200, 147), [0, 0, 255, 255]);
  });

  test('a photograph stands upright as its camera held it, and its colours are sRGB', async () => {
    // Red on the left of what is stored; turned a quarter clockwise it is on top.
    const stored = sharp({ create: { width: 80, height: 40, channels: 3, background: '#0000ff' } }).composite([
      { input: { create: { width: 40, height: 40, channels: 3, background: '#ff0000' } }, left: 0, top: 0 },
    ]);
    const turned = await folder.save(await stored.jpeg({ quality: 100 }).withMetadata({ orientation: 6 }).toBuffer());
    const path = await printFile([picture(turned, { box: { ...box, width: 50 }, fit: 'contain' })]);
    const [top, bottom] = [await pixelAt(path, 125, 60), await pixelAt(path, 125, 140)];
    assert.ok((top[0] ?? 0) > 240 && (top[2] ?? 255) < 15, JSON.stringify(top));
    assert.ok((bottom[2] ?? 0) > 240 && (bottom[0] ?? 255) < 15, JSON.stringify(bottom));

    const wide = await sharp({ create: { width: 40, height: 40, channels: 3, background: '#00ff00' } })
      .withIccProfile('p3')
      .png()
      .toBuffer();
    const saturated = await pixelAt(await printFile([picture(await folder.save(wide))]), 300, 100);
    assert.ok((saturated[1] ?? 0) > 250, JSON.stringify(saturated));
  });

  test('grey, transparent and very thin pictures take their place too', async () => {
    const grey = await folder.save(
      await sharp(await flat(30, 30, '#808080').png().toBuffer())
        .greyscale()
        .toColourspace('b-w')
        .png()
        .toBuffer(),
    );
    assert.deepEqual(await pixelAt(await printFile([picture(grey, { box })]), 200, 100), [128, 128, 128, 255]);
    const glass = await folder.save(await flat(30, 30, '#ff000080').png().toBuffer());
    assert.deepEqual(await pixelAt(await printFile([picture(glass, { box })]), 200, 100), [255, 0, 0, 128]);
    const thin = await folder.save(await flat(1, 9_000, '#00ff00').png().toBuffer());
    assert.deepEqual(await inkBox(await printFile([picture(thin, { box })])), [100, 50, 300, 150]);
  });

  test('a picture of the largest size does not hold the pool above its bound', async () => {
    const large = await folder.save(
      await flat(10_000, 6_000, '#336699').webp({ lossless: true, effort: 0 }).toBuffer(),
    );
    const drawings = [picture(large), picture(large, { fit: 'contain' }), words('日本 🦜')];
    await printFile(drawings, { widthPx: 4_000, heightPx: 5_000, dpi: 300 });
    const peaks = pool.pids().map((pid) => {
      const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      return Number(peak) / 1_024;
    });
    assert.ok(
      peaks.every((mib) => mib <= 600),
      JSON.stringify(peaks),
    );
  });
});

describe('texts are judged before anything is charged', () => {
  test('characters that no font has, and text that does not fit, are told apart', async () => {
    const texts = [words('Hello'), words('ᚠᚢᚦᚠ'), words('a'.repeat(400)), words('Hello', { color: '#ffffff' })];
    assert.deepEqual(await judgeTexts(pool, texts), [
      { kind: 'fits' },
      { kind: 'missing', characters: ['ᚠ', 'ᚢ', 'ᚦ'] },
      { kind: 'too_large' },
      { kind: 'fits' },
    ]);
  });

  test('what fits is drawn, what does not cannot be: one measure for both', async () => {
    const texts = Array.from({ length: 24 }, (_, index) =>
      words('Wide Words '.repeat(index + 1), { sizePx: { min: 30, max: 90 } }),
    );
    const verdicts = await judgeTexts(pool, texts);
    for (const [index, text] of texts.entries()) {
      const made = await personalise(pool, {
        version: 3,
        template: TEMPLATE,
        drawings: [text],
        targetPath: folder.path(),
        pathOf: async (path) => path,
      });
      assert.equal(made.kind === 'ok', verdicts[index]?.kind === 'fits', text.text);
    }
    assert.ok(verdicts.some(({ kind }) => kind === 'fits') && verdicts.some(({ kind }) => kind === 'too_large'));
  });

  test('a pile of marks on a letter is no larger than its box allows', async () => {
    const pile = words(`a${'\u0301'.repeat(490)}`);
    const [verdict] = await judgeTexts(pool, [pile]);
    assert.equal(verdict?.kind, 'too_large');
    const few = await inkBox(
      await printFile([words(`a${'\u0301'.repeat(5)}`, { box: { left: 0, top: 100, width: 600, height: 100 } })]),
    );
    assert.ok(few && few[1] >= 100, JSON.stringify(few));
  });

  test('a thousand names are judged in a few hundred milliseconds of one child', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => words(`Team member ${index}`));
    const verdicts = await judgeTexts(pool, [...names, ...names]);
    assert.deepEqual([verdicts.length, new Set(verdicts.map(({ kind }) => kind))], [2_000, new Set(['fits'])]);
  });
});
