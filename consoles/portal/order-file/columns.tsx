import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call, type Input, type Reply } from '../../shared/api/client.ts';
import { Panel } from '../../shared/layout/panel.tsx';
import { Failure } from '../../shared/states/failure.tsx';

type OrderFile = Reply<'getOrderFile'>;
type Field = OrderFile['columns'][number]['field'];

const LABELS: Readonly<Record<Field, string>> = {
  number: 'Your order number',
  product: 'Product: its id or name',
  variant_sku: 'Variant (SKU)',
  colour: 'Colour',
  size: 'Size',
  options: 'Options, all in one',
  quantity: 'Quantity',
  print_areas: 'Print areas, or none',
  artwork_url: 'Artwork for the order',
  contact_name: 'Name',
  last_name: 'Last name, if apart',
  company_name: 'Company',
  line1: 'Street and number',
  line2: 'Second line',
  city: 'Town or city',
  county: 'County or state',
  postcode: 'Postcode',
  country_code: 'Country',
  phone: 'Phone',
  email: 'Email',
  shipping_service: 'Shipping service',
  brand: 'Brand: its name',
  notes: 'Notes for the print shop',
};

/** Which column each part of an order is read from. What is chosen is remembered for the next file. */
export function Columns({ file, onChanged }: { file: OrderFile; onChanged: (file: OrderFile) => void }) {
  const [failure, setFailure] = useState<Error>();
  const [prefix, setPrefix] = useState(file.prefix);
  const [isSending, setSending] = useState(false);
  const change = async (body: Input<'changeOrderFile'>['body']): Promise<void> => {
    setFailure(undefined);
    setSending(true);
    try {
      onChanged(await call('changeOrderFile', { path: { id: file.id }, body }));
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setSending(false);
    }
  };
  const choices = [
    { value: '', label: 'No column' },
    ...file.headings.map((heading, index) => ({
      value: String(index),
      label: heading.trim() === '' ? `Column ${index + 1}` : heading,
    })),
  ];
  return (
    <Panel title="Columns">
      <div className="platen-panel-body">
        {failure === undefined ? null : <Failure error={failure} />}
        <div className="platen-fields">
          {file.columns.map(({ field, column }) => (
            <NativeSelect
              key={field}
              label={LABELS[field]}
              data={choices}
              disabled={isSending}
              value={column === null ? '' : String(column)}
              error={file.missing.includes(field) ? 'Choose a column.' : undefined}
              onChange={({ currentTarget: { value } }) =>
                void change({ columns: [{ field, column: value === '' ? null : Number(value) }] })
              }
            />
          ))}
          <TextInput
            label="Before each number"
            description="Numbers are unique over all shops: a prefix such as acme- keeps yours apart."
            className="platen-wide"
            autoComplete="off"
            maxLength={40}
            value={prefix}
            onChange={({ currentTarget }) => setPrefix(currentTarget.value)}
          />
          {file.counts.existing === 0 && !file.places_repeats ? null : (
            <Checkbox
              label="Place orders again under another number"
              description="For numbers that two shops of yours both use. An order with the very same number is never placed twice."
              className="platen-wide"
              checked={file.places_repeats}
              disabled={isSending}
              onChange={({ currentTarget }) => void change({ places_repeats: currentTarget.checked })}
            />
          )}
          {prefix === file.prefix ? null : (
            <Button variant="default" loading={isSending} onClick={() => void change({ prefix })}>
              Read the file with this prefix
            </Button>
          )}
        </div>
      </div>
    </Panel>
  );
}
