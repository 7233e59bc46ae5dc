import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { addressOfFile, download, type Reply, saveList } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Answer } from '../../shared/states/answer.tsx';
import { useSaving } from '../../shared/states/use-saving.ts';
import { useAddressState } from '../../shared/table/address.ts';
import { Money } from '../../shared/values/money.tsx';

/** What a bookkeeper files of a month: its statement, and all of its documents at once. */
export function Months() {
  const { get, set } = useAddressState();
  const months = useQuery(reading('listMonths', {}));
  return (
    <Answer query={months} lines={4}>
      {({ data }) => {
        const [latest] = data;
        // The last that is over is what is filed.
        const month = get('month') ?? data[1]?.month ?? latest?.month ?? '';
        return (
          <>
            <Group px="md" py="sm">
              <NativeSelect
                size="sm"
                label="Month"
                value={month}
                data={data.map(({ month: value, is_over: isOver }) => ({
                  value,
                  label: `${nameOf(value)}${isOver ? '' : ', so far'}`,
                }))}
                onChange={({ currentTarget }) => set({ month: currentTarget.value })}
              />
            </Group>
            {month === '' ? null : <Month month={month} />}
          </>
        );
      }}
    </Answer>
  );
}

function Month({ month }: { month: string }) {
  const query = useQuery(reading('getMonth', { query: { month } }));
  return (
    <Answer query={query} lines={4}>
      {(figures) => <Files figures={figures} />}
    </Answer>
  );
}

function Files({ figures }: { figures: Reply<'getMonth'> }) {
  const { month, opening_balance: opening, closing_balance: closing, currency, is_over: isOver } = figures;
  const { invoices, credit_notes: notes, parts, documents_of_a_part: each } = figures;
  const { first_day: from, last_day: to } = figures;
  return (
    <div className="platen-panel-body">
      <Text size="sm" mb="sm" component="div">
        Balance before: <Money amount={opening} currency={currency} />. Balance after:{' '}
        <Money amount={closing} currency={currency} />. {countOf(invoices, 'invoice')}, {countOf(notes, 'credit note')}.
        {isOver ? '' : ' The month is not over.'}
      </Text>
      <Group gap="sm">
        <Save
          label="Statement as PDF"
          save={() =>
            download(
              'getMonthStatement',
              { query: { month } },
              { mediaType: 'application/pdf', name: `statement-${month}.pdf` },
            )
          }
        />
        <Save
          label="Statement as CSV"
          save={() => saveList('getStatement', { query: { from, to } }, `statement-${month}.csv`)}
        />
        {Array.from({ length: Math.min(parts, PARTS_SHOWN) }, (_, at) => at + 1).map((part) => (
          // The browser fetches it by itself: it takes a minute or two, and is not held in memory.
          <Button
            key={part}
            variant="default"
            component="a"
            href={addressOfFile('getMonthDocuments', { query: { month, part } })}
            download
          >
            {parts === 1 ? 'Documents as ZIP' : `Documents as ZIP, part ${part} of ${parts}`}
          </Button>
        ))}
      </Group>
      {parts <= 1 ? null : (
        <Text size="sm" c="dimmed" mt="sm">
          Each part has up to {each} documents, the oldest first.
          {parts > PARTS_SHOWN ? ` Parts after ${PARTS_SHOWN} are fetched over the API: add the number as part.` : ''}
        </Text>
      )}
    </div>
  );
}

/** As many as a page can show; no person clicks more. */
const PARTS_SHOWN = 50;

function Save({ label, save }: { label: string; save: () => Promise<void> }) {
  const { isSaving, run } = useSaving(save);
  useCommands([{ id: `save-${label}`, label, group: 'Money', run }]);
  return (
    <Button variant="default" loading={isSaving} loaderProps={{ type: 'dots' }} onClick={run}>
      {label}
    </Button>
  );
}

function countOf(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

function nameOf(month: string): string {
  return NAME.format(new Date(`${month}-01`));
}

const NAME = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
