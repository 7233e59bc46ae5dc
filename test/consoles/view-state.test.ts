import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chosenColumns, columnName } from '../../consoles/shared/table/columns.ts';
import { addressOfView, isAsSaved, leftAddress, stateOf } from '../../consoles/shared/table/view-state.ts';

const COLUMNS = ['Order', 'Status', 'Blocked by', 'Total'].map((title) => ({ title }));
const titlesOf = (chosen: string | undefined): readonly string[] | undefined =>
  chosenColumns(COLUMNS, chosen)?.map(({ title }) => title);

describe('columns that an address chooses', () => {
  const cases: readonly (readonly [chosen: string | undefined, titles: readonly string[] | undefined])[] = [
    [undefined, undefined],
    ['', undefined],
    ['colour,size', undefined],
    ['order', ['Order']],
    ['total,status', ['Order', 'Status', 'Total']],
    ['blocked-by,size', ['Order', 'Blocked by']],
  ];
  for (const [chosen, titles] of cases) {
    test(`${chosen ?? 'none'}: ${titles?.join(', ') ?? 'as the page has them'}`, () => {
      assert.deepEqual(titlesOf(chosen), titles);
    });
  }

  test('have names that the service takes', () => {
    assert.deepEqual(
      ['PDF', 'Balance after', ' Émilie’s (2) '].map((title) => columnName({ title })),
      ['pdf', 'balance-after', 'milie-s-2'],
    );
  });
});

describe('a view', () => {
  const view = { id: 'view_1', filters: 'from=2026-11-01&status=pending', columns: ['order', 'total'] };

  test('keeps what the list is narrowed to and its columns, not its page nor what is open above it', () => {
    const address = new URLSearchParams(
      'status=pending&cursor=abc&open=sho_1&from=2026-11-01&columns=order,total&saved=view_1',
    );
    assert.deepEqual(stateOf(address), { filters: view.filters, columns: view.columns });
    assert.ok(isAsSaved(view, address));
  });

  test('is changed by another filter, and by other columns', () => {
    for (const changed of ['status=pending', 'from=2026-11-01&status=pending', `${view.filters}&columns=order`]) {
      assert.ok(!isAsSaved(view, new URLSearchParams(changed)), changed);
    }
  });

  test('goes to the address whole, and comes back from it', () => {
    assert.equal(addressOfView(view).toString(), 'from=2026-11-01&status=pending&columns=order%2Ctotal&saved=view_1');
    assert.deepEqual(stateOf(addressOfView(view)), { filters: view.filters, columns: view.columns });
    assert.equal(addressOfView({ filters: '', columns: [] }).toString(), '');
  });

  test('that is left leaves which of several lists the page shows', () => {
    const address = new URLSearchParams('view=documents&from=2026-11-01&columns=total&saved=view_1');
    assert.equal(leftAddress(address).toString(), 'view=documents');
  });
});
