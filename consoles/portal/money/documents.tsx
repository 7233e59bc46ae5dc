import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { download, type Reply, saveList } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { useSaving } from '../../shared/states/use-saving.ts';
import { useAddressState } from '../../shared/table/address.ts';
import { CopySelected } from '../../shared/table/copy-selected.tsx';
import { TableMenus } from '../../shared/table/menus.tsx';
import { type Column, Table } from '../../shared/table/table.tsx';
import { Money } from '../../shared/values/money.tsx';
import { Period } from './period.tsx';

type Issued = Reply<'listOwnDocuments'>['data'][number];

const kindOf = ({ kind }: Issued): string => (kind === 'invoice' ? 'Invoice' : 'Credit note');

const COLUMNS: readonly Column<Issued>[] = [
  {
    title: 'Document',
    cell: (issued) => (
      <div>
        <Link href={`/orders/${issued.order_id}`} className="platen-link platen-number">
          {issued.number}
        </Link>
        <Text size="xs" c="dimmed">
          {kindOf(issued)} of <span className="platen-number">{issued.order_reference}</span>
        </Text>
      </div>
    ),
  },
  { title: 'Issued', isMinor: true, cell: (issued) => <span className="platen-number">{issued.issued_on}</span> },
  {
    title: 'Total',
    isNumber: true,
    cell: ({ kind, total, currency }) => <Money amount={kind === 'invoice' ? total : -total} currency={currency} />,
  },
  { title: 'PDF', cell: (issued) => <Pdf issued={issued} /> },
];

/** The invoices and credit notes of a period, each as PDF. */
export function Documents() {
  const { get } = useAddressState();
  const period = { from: get('from'), to: get('to') };
  const query = useQuery(reading('listOwnDocuments', { query: { ...period, cursor: get('cursor') } }));
  const save = (): Promise<void> => saveList('listOwnDocuments', { query: period }, 'documents.csv');
  return (
    <>
      <Period save={save} menus={<TableMenus page="documents" columns={COLUMNS} />} />
      <Answer query={query} lines={8}>
        {({ data, next_cursor: nextCursor }) =>
          data.length === 0 ? (
            <Empty title="No document was issued in this time.">
              An invoice is issued soon after an order is paid, and a credit note when something is taken back.
            </Empty>
          ) : (
            <Table
              label="Invoices and credit notes"
              rows={data}
              idOf={({ number }) => number}
              nameOf={({ number }) => number}
              columns={COLUMNS}
              nextCursor={nextCursor}
              isBusy={query.isPlaceholderData}
            >
              {({ rows }) => <CopySelected what="numbers" lines={rows.map(({ number }) => number)} />}
            </Table>
          )
        }
      </Answer>
    </>
  );
}

function Pdf({ issued }: { issued: Issued }) {
  const { number } = issued;
  const { isSaving, run } = useSaving(async () => {
    const { order_id: id, credit_note_id: note } = issued;
    const as = { mediaType: 'application/pdf', name: `${number}.pdf` };
    if (note === null) await download('getInvoice', { path: { id } }, as);
    else await download('getCreditNote', { path: { id, credit_note_id: note } }, as);
  });
  useCommands([
    { id: `save-${number}`, label: `Save ${kindOf(issued).toLowerCase()} ${number}`, group: 'Documents', run },
  ]);
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={isSaving}
      loaderProps={{ type: 'dots' }}
      aria-label={`PDF of ${number}`}
      onClick={run}
    >
      PDF
    </Button>
  );
}
