import { Anchor, Button, Group, Text } from '@mantine/core';
import { type KeyboardEvent, lazy, Suspense, useId, useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { useHistory } from '../../shared/canvas/history.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { KeepUnsaved } from '../../shared/leaving/unsaved.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';
import { WhenSeen } from '../../shared/states/when-seen.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { Areas } from './areas.tsx';
import { type LayerActions, Layers } from './layers.tsx';
import {
  type Draft,
  freeKey,
  LAYER_LABELS,
  type Layer,
  layerBoxOf,
  layersOf,
  placeOf,
  type Template,
  withCopy,
  withLayer,
  withNewLayer,
  withOrder,
  withoutLayer,
} from './model.ts';
import { SaveState } from './save-state.tsx';
import { useSaving } from './saving.ts';
import { ColourChoice, Stage } from './stage.tsx';

// What stands below the stage, and what a chosen layer holds: neither is in the way of the first look.
const Trial = lazy(async () => ({ default: (await import('./trial.tsx')).Trial }));
const ProductForm = lazy(async () => ({ default: (await import('./product-form.tsx')).ProductForm }));
const TemplatePrices = lazy(async () => ({ default: (await import('./prices.tsx')).TemplatePrices }));
const Properties = lazy(async () => ({ default: (await import('./properties.tsx')).Properties }));

const TYPES = Object.keys(LAYER_LABELS) as Layer['type'][];

/** Designs the template of a personalised product: its areas, its layers, a trial, and publishing. */
export function Designer({
  template,
  mayChange,
  onLoadAgain,
}: {
  template: Template;
  mayChange: boolean;
  onLoadAgain: () => void;
}) {
  const history = useHistory<Draft>(template.template);
  const { value: draft, change } = history;
  const saving = useSaving(template, draft, mayChange);
  const { get, set } = useAddressState();
  const [chosenId, choose] = useState<string>();
  const [lockedIds, setLocked] = useState<ReadonlySet<string>>(new Set());
  const [hiddenIds, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [sku, setSku] = useState(template.variants[0]?.sku);
  const [added, setAdded] = useState<ReadonlyMap<string, string>>(new Map());
  const [question, setQuestion] = useState<Question>();
  const missingId = useId();

  const { reply } = saving;
  const wanted = get('area') ?? draft.areas[0]?.print_area;
  const area = template.areas.find(({ print_area: name }) => name === wanted) ?? template.areas[0];
  if (area === undefined) throw new Error('a designer was opened without a print area');
  const isUsed = draft.areas.some(({ print_area: name }) => name === area.print_area);
  const layers = layersOf(draft, area.print_area);
  const chosen = layers.find(({ id }) => id === chosenId);
  const pictures = new Map([...added, ...reply.pictures.map(({ design, image_url: url }) => [design, url] as const)]);
  const colour = reply.variants.find((variant) => variant.sku === sku)?.colour_hex ?? '#ffffff';

  const changeChosen = (update: (layer: Layer) => Layer, gesture: string): void => {
    if (chosen !== undefined) change((before) => withLayer(before, chosen.id, update), gesture);
  };
  const take = ({ draft: next, id }: { draft: Draft; id: string }): void => {
    change(next);
    choose(id);
  };
  const actions: LayerActions = {
    choose,
    add: (type) => take(withNewLayer(draft, type, area)),
    move: (id, place) => change((before) => withOrder(before, id, place)),
    copy: (id) => take(withCopy(draft, id, area)),
    remove: (id) => {
      change((before) => withoutLayer(before, id));
      choose(undefined);
    },
    lock: (id) => setLocked((before) => toggled(before, id)),
    hide: (id) => setHidden((before) => toggled(before, id)),
  };
  const rename = (typed: string): void => {
    const key = keyOf(typed);
    if (chosen === undefined || key === '' || key === chosen.id) return;
    const id = freeKey({ layers: draft.layers.filter((layer) => layer !== chosen) }, key);
    change((before) => withLayer(before, chosen.id, (layer) => ({ ...layer, id })));
    choose(id);
  };
  const pressOn = (event: KeyboardEvent, id: string): void => {
    const place = layers.findIndex((layer) => layer.id === id);
    const act = {
      Delete: () => actions.remove(id),
      PageUp: () => actions.move(id, place - 1),
      PageDown: () => actions.move(id, place + 1),
    }[event.key];
    if (act === undefined || !mayChange) return;
    event.preventDefault();
    act();
  };
  const publish = async (): Promise<void> => {
    const { id, version } = await saving.save();
    saving.take(await call('publishTemplate', { path: { id }, body: { version } }));
    notifyOf('Published. Orders from now on are read by it.');
  };
  const ask = (): void =>
    setQuestion({ title: 'Publish this template?', label: 'Publish', isMaking: true, act: publish });
  // It stands below the stage, and stays while a change is saved: what comes and goes above it moves it under the hand.
  const missing = reply.is_changed ? reply.problems : [];
  const canPublish = mayChange && saving.isSaved && reply.is_changed && reply.problems.length === 0;
  useCommands([
    ...(mayChange
      ? [
          { id: 'undo', label: 'Undo', group: 'Designer', keys: 'mod+z', run: history.undo },
          { id: 'redo', label: 'Redo', group: 'Designer', keys: 'mod+y', otherKeys: 'mod+shift+z', run: history.redo },
          ...TYPES.map((type) => ({
            id: `add-${type}`,
            label: `Add ${LAYER_LABELS[type].toLowerCase()}`,
            group: 'Designer',
            run: () => actions.add(type),
          })),
        ]
      : []),
    ...(canPublish ? [{ id: 'publish', label: 'Publish the template', group: 'Designer', run: ask }] : []),
  ]);
  const index = chosen === undefined ? -1 : draft.layers.indexOf(chosen);
  const refused = saving.failure instanceof Refused ? saving.failure.problem.errors : [];
  const said = [...refused, ...(saving.isSaved ? reply.problems : [])];
  const problemAt = (member: string): string | undefined =>
    said.find(({ path }) => path === `template.layers[${index}].${member}`)?.message;

  return (
    <Page
      title={reply.name}
      aside={
        <Group gap="sm">
          <SaveState saving={saving} onLoadAgain={onLoadAgain} />
          {mayChange ? (
            <>
              <Button variant="default" disabled={!history.canUndo} onClick={history.undo}>
                Undo
              </Button>
              <Button variant="default" disabled={!history.canRedo} onClick={history.redo}>
                Redo
              </Button>
              <Button disabled={!canPublish} onClick={ask}>
                Publish
              </Button>
            </>
          ) : null}
        </Group>
      }
    >
      <KeepUnsaved isUnsaved={mayChange && !saving.isSaved} save={saving.save} />
      <Text size="sm" c="dimmed">
        {reply.base_product.title}. {standingOf(reply)}
        {missing.length > 0 ? (
          <>
            {' '}
            <Anchor href={`#${missingId}`}>See what is missing</Anchor>
          </>
        ) : null}
      </Text>
      <Areas
        areas={template.areas}
        draft={draft}
        shown={area.print_area}
        mayChange={mayChange}
        onShow={(printArea) => {
          choose(undefined);
          set({ area: printArea });
        }}
        onChange={change}
      />
      {isUsed ? (
        <div className="platen-designer">
          <Layers
            layers={layers}
            chosenId={chosenId}
            lockedIds={lockedIds}
            hiddenIds={hiddenIds}
            mayChange={mayChange}
            actions={actions}
          />
          <section className="platen-panel" aria-label="Print area">
            <Stage
              area={area}
              colour={colour}
              layers={layers.filter(({ id }) => !hiddenIds.has(id)).toReversed()}
              chosenId={chosenId}
              lockedIds={mayChange ? lockedIds : new Set(layers.map(({ id }) => id))}
              pictures={pictures}
              fonts={template.fonts}
              onChoose={choose}
              onChange={(id, box, gesture) =>
                change(
                  (before) => withLayer(before, id, (layer) => ({ ...layer, box: layerBoxOf(box, area) })),
                  gesture,
                )
              }
              onKey={pressOn}
            >
              <ColourChoice variants={reply.variants} sku={sku ?? ''} onChange={setSku} />
            </Stage>
          </section>
          {chosen === undefined ? (
            <section className="platen-panel platen-panel-body" aria-label="Properties">
              <Text size="sm" c="dimmed">
                Choose a layer to see what it holds.
              </Text>
            </section>
          ) : (
            <Suspense fallback={null}>
              <Properties
                key={chosen.id}
                template={template}
                layer={chosen}
                area={area}
                pictures={pictures}
                mayChange={mayChange}
                problemAt={problemAt}
                onChange={changeChosen}
                onRename={rename}
                onPicture={(design, url) => setAdded((before) => new Map(before).set(design, url))}
              />
            </Suspense>
          )}
        </div>
      ) : null}
      <Missing id={missingId} problems={missing} draft={draft} />
      <WhenSeen label="Try it">
        <Trial
          id={template.id}
          draft={draft}
          printArea={area.print_area}
          sku={sku}
          pictures={pictures}
          save={mayChange ? saving.save : async () => undefined}
        />
      </WhenSeen>
      {mayChange ? (
        <WhenSeen label="Name and colours">
          <ProductForm template={reply} onChange={saving.takeProduct} />
        </WhenSeen>
      ) : null}
      <WhenSeen label="Prices">
        <TemplatePrices template={reply} draft={draft} mayChange={mayChange} onChange={saving.takeProduct} />
      </WhenSeen>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">Orders from now on are read by this design. Orders that are placed already keep theirs.</Text>
      </Confirm>
    </Page>
  );
}

/** What orders are read by. */
function standingOf({ published_version: version, is_changed: isChanged }: Template): string {
  if (version === 0) return 'It is not published yet.';
  return `Version ${version} is published${isChanged ? '; this draft is not.' : '.'}`;
}

/** What keeps the draft from being published. */
function Missing({ id, problems, draft }: { id: string; problems: Template['problems']; draft: Draft }) {
  if (problems.length === 0) return null;
  return (
    <section id={id} className="platen-note" aria-label="Before it can be published">
      <Text size="sm" fw={600}>
        Before it can be published
      </Text>
      <ul className="platen-problems">
        {problems.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            {placeOf(path, draft)}
            {message}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A key from what was typed: small letters, digits and `_`, a letter first. */
function keyOf(typed: string): string {
  return typed
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .slice(0, 40);
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}
