import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions } from './read-options.ts';

const CASES: readonly (readonly [
  what: string,
  text: string,
  options: readonly string[],
  variant: readonly string[],
  properties: readonly string[],
])[] = [
  ['nothing', '', [], [], []],
  ['options without names', 'Black / M', ['Black', 'M'], ['Black', 'M'], []],
  ['and by commas', 'Black, M', ['Black', 'M'], ['Black', 'M'], []],
  ['names', 'Size:M,Color:Black', ['M', 'Black'], ['M', 'Black'], ['Size=M', 'Color=Black']],
  [
    'names with spaces, and one that is no option of a variant',
    'T-shirt size: M, Gift box: No',
    ['M', 'No'],
    ['M'],
    ['T-shirt size=M', 'Gift box=No'],
  ],
  [
    'what a buyer wrote, with any sign in it',
    'Colour:White,Personalization:Anna, 5/6: hello',
    ['White'],
    ['White'],
    ['Colour=White', 'Personalization=Anna, 5/6: hello'],
  ],
  ['a buyer who was asked for nothing', 'Size:S,Personalization:Not requested on this item.', ['S'], ['S'], ['Size=S']],
  ['an option that is empty', 'Size:,Colour:Red', ['Red'], ['Red'], ['Colour=Red']],
];

for (const [what, text, options, variant, properties] of CASES) {
  test(`the options of an item: ${what}`, () => {
    const read = readOptions(text);
    assert.deepEqual(
      [read.options, read.variant, read.properties.map(({ name, value }) => `${name}=${value}`)],
      [options, variant, properties],
    );
  });
}

test('a colour and a size are of use for the variant, whatever else is of use for what is printed alone', () => {
  const { entered } = readOptions('Size:M,Thread colour:Red,Nickname:Bo,Personalisation:Anna');
  assert.deepEqual(
    entered.map(({ name }) => name),
    ['Nickname', 'Personalisation'],
  );
});
