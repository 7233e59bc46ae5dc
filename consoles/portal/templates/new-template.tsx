import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { call, type Reply } from '../../shared/api/client.ts';
import { Form } from '../../shared/form/form.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { Answer } from '../../shared/states/answer.tsx';

type BaseProduct = Reply<'listBaseProducts'>['data'][number];

/** Begins a personalised product: what it is printed on, its name, and its colours. */
export function NewTemplate({ onClose }: { onClose: () => void }) {
  const query = useInfiniteQuery({
    queryKey: ['listBaseProducts', 'all'],
    queryFn: ({ pageParam: cursor, signal }) =>
      call('listBaseProducts', { query: { limit: PAGE, ...(cursor === null ? {} : { cursor }) } }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  // A catalogue is short: all of it is loaded, a page after the other.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <Panel title="New personalised product">
      <div className="platen-panel-body">
        <Answer query={query}>
          {({ pages }) => <NewForm bases={pages.flatMap(({ data }) => data)} onClose={onClose} />}
        </Answer>
      </div>
    </Panel>
  );
}

const PAGE = 100;

function NewForm({ bases, onClose }: { bases: readonly BaseProduct[]; onClose: () => void }) {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const form = useForm<{ base_product_id: string; name: string; left_out: readonly string[] }>({
    initialValues: { base_product_id: bases[0]?.id ?? '', name: '', left_out: [] },
  });
  const { base_product_id: baseId, left_out: leftOut } = form.values;
  const active = bases.find(({ id }) => id === baseId)?.variants.filter((variant) => variant.active) ?? [];
  const colours = [...new Map(active.map(({ colour, colour_hex: hex }) => [colour, hex]))];
  const submit = async ({ base_product_id, name, left_out }: typeof form.values): Promise<void> => {
    const skus = active.filter(({ colour }) => !left_out.includes(colour)).map(({ sku }) => sku);
    const { id } = await call('createTemplate', { body: { base_product_id, name, variant_skus: skus } });
    await queries.invalidateQueries({ queryKey: ['listTemplates'] });
    navigate(`/templates/${id}`);
  };
  return (
    <Form
      form={form}
      submit={submit}
      label="Create it"
      beside={
        <Button variant="default" onClick={onClose}>
          Not now
        </Button>
      }
    >
      <div className="platen-fields">
        <TextInput
          label="Name"
          description="What the product is called; the label of its order lines."
          maxLength={200}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <NativeSelect
          label="Printed on"
          description="It cannot be changed later."
          data={bases.map(({ id, title }) => ({ value: id, label: title }))}
          value={baseId}
          error={form.errors.base_product_id}
          onChange={({ currentTarget: { value } }) => form.setValues({ base_product_id: value, left_out: [] })}
        />
      </div>
      <fieldset className="platen-choices">
        <legend>Colours on offer, in all sizes</legend>
        {colours.map(([colour, hex]) => (
          <Checkbox
            key={colour}
            label={
              <>
                <span className="platen-swatch" style={{ background: hex }} aria-hidden /> {colour}
              </>
            }
            checked={!leftOut.includes(colour)}
            onChange={({ currentTarget }) =>
              form.setFieldValue(
                'left_out',
                currentTarget.checked ? leftOut.filter((one) => one !== colour) : [...leftOut, colour],
              )
            }
          />
        ))}
      </fieldset>
    </Form>
  );
}
