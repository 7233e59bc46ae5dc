import { Button, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Input, type Reply } from '../../shared/api/client.ts';
import { isRefusedWith, PageRefused, Refused } from '../../shared/api/failures.ts';
import { reading } from '../../shared/api/queries.ts';
import { ArtworkField } from '../../shared/artwork/artwork-field.tsx';
import { Uploads, uploadUnderWay, useUploads } from '../../shared/artwork/uploads.ts';
import { Form } from '../../shared/form/form.tsx';
import type { Order } from '../../shared/orders/status.tsx';
import { PROBLEM_KINDS } from '../../shared/problems/words.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';

type Body = Input<'reportProblem'>['body'];
type Reportable = Reply<'listOrderProblems'>['actions']['report']['items'][number];
type Photo = { readonly key: number; readonly url: string };

/** As many as the service takes. */
const PHOTOS_MAX = 5;

const REPORTED = [
  'The shop has your report already',
  'The shop has your report as it was sent first: its answer did not reach this page. What you have changed since is not in it. To report it as it is here, withdraw that one first.',
] as const;

/** The form that reports a problem: the pieces, what is wrong, and photos. */
export function ReportProblem({
  order,
  items: offered,
  onDone,
}: {
  order: Order;
  /** What can be reported, by the service. */
  items: readonly Reportable[];
  onDone: () => void;
}) {
  const queries = useQueryClient();
  // As when the form was opened: what it has reported meanwhile without an answer is still in it.
  const [items] = useState(offered);
  // One name for as long as the form is open: a second press, or a lost answer, reports nothing twice.
  const [reference] = useState(() => `portal ${crypto.randomUUID()}`);
  const [photos, setPhotos] = useState<readonly Photo[]>([]);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [uploads, countUpload] = useUploads();
  const isOnly = items.length === 1;
  const form = useForm({
    initialValues: {
      kind: 'damaged',
      text: '',
      pieces: Object.fromEntries(items.map(({ line_id: id }) => [id, isOnly ? '1' : ''])),
    },
  });
  const chosen = items.filter(({ line_id: id }) => Number(form.values.pieces[id]) > 0);
  const sent = photos.filter(({ url }) => url.trim() !== '');
  const report = async ({ kind, text, pieces }: typeof form.values): Promise<void> => {
    if (uploads > 0) throw uploadUnderWay();
    setProblems({});
    const body: Body = {
      kind: kind as Body['kind'],
      text,
      items: chosen.map(({ line_id: id }) => ({ line_id: id, quantity: Number(pieces[id]) })),
      photos: sent.map(({ url }) => url),
      external_reference: reference,
    };
    try {
      await call('reportProblem', { path: { id: order.id }, body });
    } catch (error) {
      if (isRefusedWith(error, 'conflict')) await refuseReported();
      if (error instanceof Refused) {
        setProblems(Object.fromEntries(error.problem.errors.map(({ path, message }) => [path, message])));
      }
      throw error;
    }
    await queries.invalidateQueries({ queryKey: ['listOrderProblems'] });
    notifyOf('The shop has your report, and answers it here and by mail.');
    onDone();
  };
  /** The answer to a report was lost, and what was sent then is not what is in the form now. */
  const refuseReported = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['listOrderProblems'] });
    const { data } = await queries.fetchQuery(reading('listOrderProblems', { path: { id: order.id } }));
    if (data.some(({ external_reference: name }) => name === reference)) throw new PageRefused(...REPORTED);
  };
  return (
    <Form form={form} submit={report} label="Report it">
      <NativeSelect label="What is wrong" data={PROBLEM_KINDS} data-autofocus {...form.getInputProps('kind')} />
      <fieldset className="platen-pieces">
        <legend>How many pieces</legend>
        {items.map(({ line_id: id, name, variant_sku: sku, quantity }) => (
          <TextInput
            key={id}
            type="number"
            inputMode="numeric"
            label={`${name}, ${sku}`}
            description={`Up to ${quantity}`}
            min={0}
            max={quantity}
            value={form.values.pieces[id] ?? ''}
            error={problems[`items[${chosen.findIndex((item) => item.line_id === id)}].quantity`]}
            onChange={({ currentTarget }) => form.setFieldValue(`pieces.${id}`, currentTarget.value)}
          />
        ))}
        {problems.items === undefined ? null : (
          <Text size="sm" c="var(--mantine-color-error)">
            Say of at least one line how many pieces.
          </Text>
        )}
      </fieldset>
      <Textarea
        label="What happened"
        required
        autosize
        minRows={3}
        maxRows={10}
        maxLength={2_000}
        {...form.getInputProps('text')}
      />
      <Uploads value={countUpload}>
        <Stack gap="xs">
          {photos.map(({ key, url }) => (
            <ArtworkField
              key={key}
              label={`Photo ${photos.findIndex((photo) => photo.key === key) + 1}`}
              url={url}
              onChange={(next) =>
                setPhotos((before) => before.map((photo) => (photo.key === key ? { key, url: next } : photo)))
              }
              problem={problems[`photos[${sent.findIndex((photo) => photo.key === key)}]`]}
            />
          ))}
          {photos.length >= PHOTOS_MAX ? null : (
            <div>
              <Button
                variant="default"
                size="compact-sm"
                onClick={() => setPhotos((before) => [...before, { key: (before.at(-1)?.key ?? 0) + 1, url: '' }])}
              >
                {photos.length === 0 ? 'Add a photo' : 'Add another photo'}
              </Button>
            </div>
          )}
        </Stack>
      </Uploads>
    </Form>
  );
}
