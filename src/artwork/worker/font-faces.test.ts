import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isCovered, readCoverage } from '../../lib/text/coverage.ts';
import { BUNDLED_FAMILIES, type BundledFamily, isFontFamily } from '../fonts/families.ts';
import { BUNDLED_SCRIPTS, type Script } from '../fonts/scripts.ts';
import { facesOfText, firstFaceOf, inDrawingOrder } from './font-faces.ts';

const namesOf = (...given: Parameters<typeof facesOfText>): string[] =>
  facesOfText(...given).faces.map(({ name }) => name);

describe('I142 the layer’s own font comes first, then the Noto families; every other script is refused by name', () => {
  const cases: [string, Parameters<typeof facesOfText>, string[]][] = [
    ['Latin is one face', ['Noto Sans', 'Hello'], ['noto-sans-latin']],
    ['accents may stand in another', ['Oswald', 'Žofie'], ['oswald-latin', 'oswald-latin-ext']],
    ['what a family lacks comes from Noto Sans', ['Pacifico', 'Ω'], ['pacifico-latin', 'noto-sans-greek']],
    ['Arabic', ['Pacifico', 'سلام'], ['pacifico-latin', 'noto-sans-arabic-arabic']],
    ['Japanese', ['Noto Sans', '日本'], ['noto-sans-latin', 'noto-sans-jp-japanese']],
    ['rare characters of Japanese names', ['Noto Sans', '髙'], ['noto-sans-latin', 'noto-sans-jp-part']],
    ['emoji of several parts', ['Noto Sans', '👩‍🚀'], ['noto-sans-latin', 'noto-color-emoji-part']],
    ['a digit is a letter, a keycap an emoji', ['Noto Sans', '1️⃣'], ['noto-sans-latin', 'noto-color-emoji-part']],
    [
      'a chosen Noto family is its own first',
      ['Noto Sans Arabic', 'سلام'],
      ['noto-sans-arabic-latin', 'noto-sans-arabic-arabic'],
    ],
    ['Hebrew', ['Pacifico', 'שלום abc'], ['pacifico-latin', 'noto-sans-hebrew-hebrew']],
    ['Hebrew of a family that has it', ['Fredoka', 'שלום'], ['fredoka-latin', 'fredoka-hebrew']],
    ['Thai', ['Bangers', 'สวัสดี'], ['bangers-latin', 'noto-sans-thai-thai']],
    ['a sign of the fonts that were first stays theirs', ['Noto Sans', '♠'], ['noto-sans-latin', 'noto-sans-jp-part']],
    ['spaces between lines need no glyph', ['Noto Sans', 'a\nb'], ['noto-sans-latin']],
    ['marks that join and turn need none', ['Noto Sans', 'a\u200d\u200eb\u00ad'], ['noto-sans-latin']],
  ];
  for (const [title, given, names] of cases) {
    test(title, () => {
      // Which of the numbered parts has a character is the font package's own affair.
      const found = namesOf(...given).map((name) => name.replace(/-\d+$/, '-part'));
      assert.deepEqual(found, names);
      assert.deepEqual(facesOfText(...given).missing, []);
    });
  }

  test('missing characters are told as people count them, each once', () => {
    assert.deepEqual(facesOfText('Noto Sans', 'aᚠᚢᚠ 한', []).missing, ['ᚠ', 'ᚢ', '한']);
    assert.deepEqual(facesOfText('Noto Sans', '\ue000\u115f\u0378').missing.length, 3, 'private, filling, unassigned');
  });

  test('a base and its marks come from one face, or are refused together', () => {
    assert.deepEqual(facesOfText('Noto Sans', 'a\u0489').missing, ['a\u0489']);
    assert.deepEqual(facesOfText('Noto Sans', 'а\u0301').missing, [], 'a stressed Cyrillic letter');
  });
});

const FAMILIES = Object.keys(BUNDLED_FAMILIES) as BundledFamily[];

/** Letters that a writing of the script cannot do without. */
const ALPHABETS: Readonly<Record<(typeof BUNDLED_SCRIPTS)[number], string>> = {
  Latin: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  Cyrillic: 'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ',
  Greek: 'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ',
  Devanagari: 'अआइईउऊएऐओऔकखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह',
  Arabic: 'ابتثجحخدذرزسشصضطظعغفقكلمنهويپچگکیٹڑے',
  Han: '日本人一二三山川東京花心愛夢',
  Hiragana: 'あいうえおかきくけこさしすせそがぎぐげごぱぴぷぺぽんっゃ',
  Katakana: 'アイウエオカキクケコサシスセソガギグゲゴパピプペポンッャー',
  Hebrew: 'אבגדהוזחטיכךלמםנןסעפףצץקרשת',
  Armenian: 'ԱԲԳԴԵԶԷԸԹԺաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև',
  Georgian: 'აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰᲐᲑᲒ',
  Ethiopic: 'ሀለሐመሠረሰሸቀበተቸኀነኘአከኸወዐዘዠየደጀገጠጨጰጸፀፈፐ',
  Bengali: 'অআইঈউঊএঐওঔকখগঘঙচছজঝঞটঠডঢণতথদধনপফবভমযরলশষসহড়',
  Gujarati: 'અઆઇઈઉઊએઐઓઔકખગઘચછજઝટઠડઢણતથદધનપફબભમયરલવશષસહળ',
  Gurmukhi: 'ਅਆਇਈਉਊਏਐਓਔਕਖਗਘਚਛਜਝਟਠਡਢਣਤਥਦਧਨਪਫਬਭਮਯਰਲਵਸਹੜ',
  Kannada: 'ಅಆಇಈಉಊಎಏಐಒಓಔಕಖಗಘಚಛಜಝಟಠಡಢಣತಥದಧನಪಫಬಭಮಯರಲವಶಷಸಹಳ',
  Malayalam: 'അആഇഈഉഊഎഏഐഒഓഔകഖഗഘചഛജഝടഠഡഢണതഥദധനപഫബഭമയരലവശഷസഹളഴറ',
  Oriya: 'ଅଆଇଈଉଊଏଐଓଔକଖଗଘଚଛଜଝଟଠଡଢଣତଥଦଧନପଫବଭମଯରଲଶଷସହଳ',
  Sinhala: 'අආඇඈඉඊඋඌඑඒඓඔඕඖකඛගඝචඡජඣටඨඩඪණතථදධනපඵබභමයරලවශෂසහළෆ',
  Tamil: 'அஆஇஈஉஊஎஏஐஒஓஔகஙசஞடணதநபமயரலவழளறனஜஷஸஹ',
  Telugu: 'అఆఇఈఉఊఎఏఐఒఓఔకఖగఘచఛజఝటఠడఢణతథదధనపఫబభమయరలవశషసహళ',
  Khmer: 'កខគឃងចឆជឈញដឋឌឍណតថទធនបផពភមយរលវសហឡអ',
  Lao: 'ກຂຄງຈຊຍດຕຖທນບປຜຝພຟມຢຣລວສຫອຮ',
  Myanmar: 'ကခဂဃငစဆဇဈညဋဌဍဎဏတထဒဓနပဖဗဘမယရလဝသဟဠအ',
  Thai: 'กขคฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ',
};

test('4.2 scripts: a text of any family can be written in each of them, at least twenty', () => {
  assert.ok(BUNDLED_SCRIPTS.length >= 20);
  for (const script of BUNDLED_SCRIPTS) {
    for (const family of FAMILIES) {
      assert.deepEqual(facesOfText(family, ALPHABETS[script], []).missing, [], `${script} in ${family}`);
    }
  }
  const vietnamese = 'ăâđêôơưàảãáạằẳẵắặầẩẫấậèẻẽéẹềểễếệìỉĩíịòỏõóọồổỗốộờởỡớợùủũúụừửữứựỳỷỹýỵ';
  assert.deepEqual(facesOfText('Graduate', vietnamese + vietnamese.toUpperCase(), []).missing, []);
});

test('4.2 families: at least twelve of different character for Latin, each with the scripts that it says', () => {
  assert.ok(new Set(FAMILIES.map((family) => BUNDLED_FAMILIES[family].style)).size >= 12);
  for (const family of FAMILIES) {
    const { folder, scripts } = BUNDLED_FAMILIES[family];
    const own = (script: Script & keyof typeof ALPHABETS): boolean =>
      facesOfText(family, ALPHABETS[script], []).faces.every(({ path }) => path.includes(`/${folder}/`));
    assert.deepEqual(
      BUNDLED_SCRIPTS.filter(own),
      BUNDLED_SCRIPTS.filter((script) => scripts.some((one) => one === script)),
      family,
    );
  }
});

test('a letter with an accent is tried in the face that has it whole, but not in the pieces of older versions', () => {
  const text = 'Žofie Đặng Юлия';
  const { faces } = facesOfText('Noto Sans', text);
  const namesAt = (version: 2 | 3): string[] => inDrawingOrder(faces, text, version).map(({ name }) => name.slice(10));
  assert.deepEqual(namesAt(2), ['latin', 'latin-ext', 'cyrillic', 'vietnamese']);
  assert.deepEqual(namesAt(3), ['vietnamese', 'latin-ext', 'cyrillic', 'latin']);
});

test('a letter that the family would build from parts comes from the face that has it whole', () => {
  const namesOf = (family: BundledFamily, text: string): string[] =>
    inDrawingOrder(facesOfText(family, text, []).faces, text, 3).map(({ name }) => name);
  assert.deepEqual(namesOf('Noto Sans JP', 'Łódź'), ['noto-sans-latin-ext', 'noto-sans-jp-latin']);
  assert.deepEqual(namesOf('Fredoka', 'ấ a'), ['noto-sans-vietnamese', 'fredoka-latin']);
  assert.deepEqual(namesOf('Archivo Black', 'Đặng'), [
    'archivo-black-latin-ext',
    'archivo-black-latin',
    'noto-sans-vietnamese',
  ]);
});

test('every family has a first face with Latin letters in it', () => {
  for (const family of FAMILIES) {
    const coverage = readCoverage(firstFaceOf(family).path);
    assert.deepEqual(
      Array.from('Aaz09é').filter((letter) => !isCovered(coverage, letter.codePointAt(0) ?? 0)),
      [],
      family,
    );
  }
});

test('I146 a family is told by its exact name, never by a path', () => {
  const names = ['../../x.ttf', 'noto sans', 'Noto Sans ', '', '__proto__', 'constructor', 'Noto Color Emoji'];
  assert.deepEqual(names.filter(isFontFamily), []);
});

test('the characters of a font are exactly those that it maps to a glyph', () => {
  const coverage = readCoverage(firstFaceOf('Pacifico').path);
  const sorted = coverage.every(([first, last], index) => first <= last && first > (coverage[index - 1]?.[1] ?? -1));
  assert.ok(sorted);
  assert.deepEqual(
    [0x1f, 0x41, 0x7e, 0x416, 0xffff, 0x1f600].map((code) => isCovered(coverage, code)),
    [false, true, true, false, false, false],
  );
});

test('what is no font file is an error of ours', () => {
  assert.throws(() => readCoverage(new URL('font-faces.ts', import.meta.url).pathname), /not a WOFF file/);
});
