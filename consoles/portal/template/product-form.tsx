import { Checkbox, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Form } from '../../shared/form/form.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';
import type { Template } from './model.ts';

/** The name of the product and the colours that it comes in, which count at once. */
export function ProductForm({ template, onChange }: { template: Template; onChange: (reply: Template) => void }) {
  const product = useQuery(reading('getProduct', { path: { id: template.id } }));
  const base = useQuery(reading('getBaseProduct', { path: { id: template.base_product.id } }));
  return (
    <Panel title="Name and colours">
      <div className="platen-panel-body">
        <Answer query={product} lines={3}>
          {(offered) => (
            <Answer query={base} lines={3}>
              {(blank) => <Fields template={template} product={offered} base={blank} onChange={onChange} />}
            </Answer>
          )}
        </Answer>
      </div>
    </Panel>
  );
}

function Fields({
  template,
  product,
  base,
  onChange,
}: {
  template: Template;
  product: Reply<'getProduct'>;
  base: Reply<'getBaseProduct'>;
  onChange: (reply: Template) => void;
}) {
  const queries = useQueryClient();
  const offered = product.variants.filter(({ active }) => active);
  const before = [...new Set(offered.map(({ colour }) => colour))];
  const form = useForm<{ name: string; variant_skus: readonly string[] }>({
    initialValues: { name: template.name, variant_skus: before },
  });
  const { variant_skus: colours } = form.values;
  const all = [...new Map(base.variants.filter(({ active }) => active).map((one) => [one.colour, one.colour_hex]))];
  const save = async ({ name, variant_skus: chosen }: typeof form.values): Promise<void> => {
    const kept = offered.filter(({ colour }) => chosen.includes(colour)).map(({ blank_variant_sku: sku }) => sku);
    const added = base.variants.filter(
      ({ active, colour }) => active && chosen.includes(colour) && !before.includes(colour),
    );
    const body = { name, variant_skus: [...kept, ...added.map(({ sku }) => sku)] };
    onChange(await call('changeTemplateProduct', { path: { id: template.id }, body }));
    await queries.invalidateQueries({ queryKey: ['getProduct'] });
    notifyOf('Saved.');
  };
  return (
    <Form form={form} submit={save} label="Save name and colours">
      <TextInput
        label="Name of the product"
        description="The label of its order lines. It counts at once, as the colours do."
        maxLength={200}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <fieldset className="platen-choices">
        <legend>Colours on offer; a new one comes in all sizes</legend>
        {all.map(([colour, hex]) => (
          <Checkbox
            key={colour}
            label={
              <>
                <span className="platen-swatch" style={{ background: hex }} aria-hidden /> {colour}
              </>
            }
            checked={colours.includes(colour)}
            onChange={({ currentTarget }) =>
              form.setFieldValue(
                'variant_skus',
                currentTarget.checked ? [...colours, colour] : colours.filter((one) => one !== colour),
              )
            }
          />
        ))}
      </fieldset>
      {form.errors.variant_skus === undefined ? null : <p role="note">{form.errors.variant_skus}</p>}
    </Form>
  );
}
