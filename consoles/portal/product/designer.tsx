import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { reading } from '../../shared/api/queries.ts';
import { useHistory } from '../../shared/canvas/history.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm } from '../../shared/dialog/confirm.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { letGo } from '../../shared/layout/way.ts';
import { KeepUnsaved } from '../../shared/leaving/unsaved.tsx';
import { useProductActions } from '../../shared/products/actions.tsx';
import { Prices } from '../../shared/products/prices.tsx';
import { ProductStatus } from '../../shared/products/status.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';
import { useSettled } from '../../shared/values/settled.ts';
import { AreaPanel } from './area-panel.tsx';
import { Details } from './details.tsx';
import { bodyOf, type Designed, type Draft, decorationOf, type Garment, isSameDraft } from './draft.ts';
import { Mockups } from './mockups.tsx';
import { Placing } from './placing.tsx';
import { Variants } from './variants.tsx';

/** How long nothing must move before the service is asked. */
const SETTLE_MS = 400;

/** The garment of a new product stands in the address: another one begins anew. */
const GARMENT = ['garment'];

export type ChangeDraft = (update: (draft: Draft) => Draft, gesture?: string) => void;

/** Artwork on the garment itself, with the service's words on how it prints and what it costs. */
export function Designer({
  garment,
  product,
  initial,
  onOther,
}: {
  garment: Garment;
  /** Undefined for a new one. */
  product: Designed | undefined;
  initial: Draft;
  /** Chooses another garment, for a new one. */
  onOther?: () => void;
}) {
  const { value: draft, change, undo, redo, canUndo, canRedo } = useHistory(initial);
  const [areaName, setAreaName] = useState(() => firstArea(garment, initial));
  const [colour, setColour] = useState(garment.colours[0]?.colour);
  const { actionsOf, question, close } = useProductActions();
  const { save, isSaving, failure, stored } = useSaving(garment, draft, product, initial);
  const looked = useLook(garment, draft);
  const area = garment.areas.find(({ print_area: name }) => name === areaName) ?? garment.areas[0];
  // Its status is saved together with what was designed.
  const actions = (product === undefined ? [] : actionsOf(product)).filter(
    ({ id }) => id !== 'activate' && id !== 'draft',
  );
  const problemAt = problemsOf(failure);
  useCommands([
    { id: 'undo', label: 'Undo', group: 'Product', keys: 'mod+z', run: undo },
    { id: 'redo', label: 'Redo', group: 'Product', keys: 'mod+y', otherKeys: 'mod+shift+z', run: redo },
    {
      id: 'save',
      label: product === undefined ? 'Save the product as a draft' : 'Save the product',
      group: 'Product',
      keys: 'mod+s',
      run: () => save(product === undefined ? 'draft' : undefined),
    },
    ...actions.map(({ id, label, run }) => ({ id, label, group: 'Product', run })),
  ]);
  if (area === undefined) return null;
  return (
    <Page title={product === undefined ? `New ${garment.title.toLowerCase()}` : product.name}>
      <KeepUnsaved isUnsaved={!isSameDraft(draft, stored)} named={GARMENT} />
      <Group gap="sm" className="platen-actions">
        {product === undefined ? (
          <>
            <Button loading={isSaving} onClick={() => save('active')}>
              Save and activate
            </Button>
            <Button variant="default" loading={isSaving} onClick={() => save('draft')}>
              Save as a draft
            </Button>
            <Button variant="subtle" onClick={onOther}>
              Another garment
            </Button>
          </>
        ) : (
          <>
            <ProductStatus status={product.status} />
            {product.status === 'draft' ? (
              <Button loading={isSaving} onClick={() => save('active')}>
                Save and activate
              </Button>
            ) : null}
            <Button
              variant={product.status === 'draft' ? 'default' : 'filled'}
              loading={isSaving}
              onClick={() => save(undefined)}
            >
              Save
            </Button>
            {product.status === 'active' ? (
              <Button variant="default" loading={isSaving} onClick={() => save('draft')}>
                Save as a draft
              </Button>
            ) : null}
            <Button component={Link} href={`/new-order?product=${product.id}`} variant="default">
              Order this
            </Button>
            {actions.map(({ id, label, run }) => (
              <Button key={id} variant="default" onClick={run}>
                {label}
              </Button>
            ))}
          </>
        )}
      </Group>
      {failure === undefined ? null : <Failure error={failure} />}
      <div className="platen-columns">
        <Stack gap="md">
          <Placing
            garment={garment}
            area={area}
            draft={draft}
            colour={colour}
            looked={looked.byArea.get(area.print_area)}
            warnedAreas={looked.warnedAreas}
            onArea={setAreaName}
            onColour={setColour}
            onChange={change}
            history={{ undo, redo, canUndo, canRedo }}
          />
        </Stack>
        <Stack gap="md">
          <AreaPanel
            key={area.print_area}
            area={area}
            placed={draft.areas[area.print_area]}
            looked={looked.byArea.get(area.print_area)}
            isBehind={looked.isBehind}
            lookFailure={looked.error}
            onChange={change}
          />
          <Details draft={draft} problemAt={problemAt} onChange={change} />
        </Stack>
      </div>
      <Mockups looked={looked.byArea.get(area.print_area)} isBehind={looked.isBehind} />
      <Variants garment={garment} draft={draft} problem={problemAt('variant_skus')} onChange={change} />
      <Prices
        product={{
          base_product_id: garment.id,
          skus: draft.skus,
          areas: garment.areas.flatMap(({ print_area: name }) => {
            const placed = draft.areas[name];
            return placed === undefined ? [] : [{ print_area: name, method: placed.method }];
          }),
          isPersonalised: false,
        }}
        retail={draft}
        onPrice={(retailPrice) => change((before) => ({ ...before, retailPrice }), 'retail price')}
        onVariantPrice={(sku, typed) =>
          change((before) => ({ ...before, retailPrices: { ...before.retailPrices, [sku]: typed } }), `price ${sku}`)
        }
      />
      <Confirm question={question} onClose={close}>
        <Text size="sm">
          It leaves the list and can no longer be changed or ordered. Placed orders keep it. This cannot be undone, but
          a copy can be made of it.
        </Text>
      </Confirm>
    </Page>
  );
}

function firstArea(garment: Garment, { areas }: Draft): string {
  const used = garment.areas.find(({ print_area: name }) => areas[name] !== undefined);
  return (used ?? garment.areas[0])?.print_area ?? '';
}

/** What the service says of the designs where they lie, once nothing has moved for a moment. */
function useLook(garment: Garment, draft: Draft) {
  const decoration = decorationOf(garment, draft);
  const wanted =
    decoration.areas.length === 0 || draft.skus.length === 0
      ? ''
      : JSON.stringify({ base_product_id: garment.id, variant_skus: draft.skus, decoration });
  const asked = useSettled(wanted, SETTLE_MS);
  const body = { base_product_id: garment.id, variant_skus: [...draft.skus], decoration };
  const query = useQuery({
    ...reading('lookAtDesigns', { body: asked === '' ? body : (JSON.parse(asked) as typeof body) }),
    enabled: asked !== '',
    retry: false,
  });
  const isShown = asked !== '' && query.error === null;
  const areas = isShown ? (query.data?.areas ?? []) : [];
  return {
    byArea: new Map(areas.map((area) => [area.print_area, area])),
    warnedAreas: new Set(areas.filter(({ warnings }) => warnings.length > 0).map(({ print_area: name }) => name)),
    isBehind: wanted !== '' && (asked !== wanted || query.fetchStatus !== 'idle'),
    error: asked === '' ? null : query.error,
  };
}

/** Saves what is designed, and knows what is stored; a double click saves once. */
function useSaving(garment: Garment, draft: Draft, product: Designed | undefined, initial: Draft) {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [isSaving, setSaving] = useState(false);
  const [failure, setFailure] = useState<Error>();
  // Of what this page was made from: another's change since is refused, and not overwritten.
  const [seenAt, setSeenAt] = useState(product?.updated_at);
  const [stored, setStored] = useState(initial);
  const send = async (status: 'active' | 'draft' | undefined): Promise<void> => {
    const body = bodyOf(garment, draft);
    const all = { ...body, ...(status && { status }) };
    const saved =
      product === undefined
        ? await call('designProduct', { body: { base_product_id: garment.id, ...all } })
        : await call('redesignProduct', {
            path: { id: product.id },
            body: { ...all, ...(seenAt && { seen_at: seenAt }) },
          });
    const { warnings, ...present } = saved;
    setSeenAt(saved.updated_at);
    setStored(draft);
    queries.setQueryData(reading('getDesignedProduct', { path: { id: saved.id } }).queryKey, present);
    await Promise.all(['listGallery', 'listProducts'].map((id) => queries.invalidateQueries({ queryKey: [id] })));
    notifyOf([`${saved.name} is saved.`, ...warnings.map(({ message }) => message)].join(' '));
    if (product !== undefined) return;
    letGo();
    navigate(`/products/${saved.id}`);
  };
  const save = (status: 'active' | 'draft' | undefined): void => {
    if (isSaving) return;
    setSaving(true);
    setFailure(undefined);
    send(status)
      .catch((error: unknown) => setFailure(error instanceof Error ? error : new Error(String(error))))
      .finally(() => setSaving(false));
  };
  return { save, isSaving, failure, stored };
}

/** The service's words about a member of the product. */
function problemsOf(failure: Error | undefined): (path: string) => string | undefined {
  const errors = failure instanceof Refused ? failure.problem.errors : [];
  return (path) => errors.find((each) => each.path === path || each.path.startsWith(`${path}[`))?.message;
}
