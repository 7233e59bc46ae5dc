import { Button, Group, Text } from '@mantine/core';
import {
  IconAlphabetLatin,
  IconEyeOff,
  IconLayoutGrid,
  IconLibraryPhoto,
  IconLock,
  IconPhoto,
} from '@tabler/icons-react';
import { type ComponentType, useState } from 'react';
import { Panel } from '../../shared/layout/panel.tsx';
import { LAYER_LABELS, type Layer } from './model.ts';

const ICONS: Readonly<Record<Layer['type'], ComponentType<{ size?: number; 'aria-hidden'?: boolean }>>> = {
  text: IconAlphabetLatin,
  image: IconPhoto,
  photo_collage: IconLayoutGrid,
  image_select: IconLibraryPhoto,
};
const TYPES = Object.keys(LAYER_LABELS) as Layer['type'][];

/** What can be done with the layers. Locked and hidden are states of this page alone. */
export type LayerActions = {
  readonly choose: (id: string) => void;
  readonly add: (type: Layer['type']) => void;
  readonly move: (id: string, place: number) => void;
  readonly copy: (id: string) => void;
  readonly remove: (id: string) => void;
  readonly lock: (id: string) => void;
  readonly hide: (id: string) => void;
};

/** The layers of an area, the top one first. */
export function Layers({
  layers,
  chosenId,
  lockedIds,
  hiddenIds,
  mayChange,
  actions,
}: {
  layers: readonly Layer[];
  chosenId: string | undefined;
  lockedIds: ReadonlySet<string>;
  hiddenIds: ReadonlySet<string>;
  mayChange: boolean;
  actions: LayerActions;
}) {
  const [draggedId, setDragged] = useState<string>();
  const place = layers.findIndex(({ id }) => id === chosenId);
  const chosen = layers[place];
  return (
    <Panel title="Layers">
      {layers.length === 0 ? (
        <Text size="sm" c="dimmed" px="md" pt="sm">
          Nothing lies on this area yet. Add what buyers fill in.
        </Text>
      ) : (
        <ol className="platen-layers" aria-label="Layers, the top one first">
          {layers.map((layer, index) => {
            const Icon = ICONS[layer.type];
            return (
              <li
                key={layer.id}
                draggable={mayChange}
                onDragStart={() => setDragged(layer.id)}
                onDragEnd={() => setDragged(undefined)}
                onDragOver={(event) => draggedId !== undefined && event.preventDefault()}
                onDrop={(event) => {
                  event.preventDefault();
                  if (draggedId !== undefined) actions.move(draggedId, index);
                }}
              >
                <button
                  type="button"
                  aria-pressed={layer.id === chosenId}
                  data-hidden={hiddenIds.has(layer.id) || undefined}
                  onClick={() => actions.choose(layer.id)}
                >
                  <Icon size={16} aria-hidden />
                  <span>{layer.name === '' ? layer.id : layer.name}</span>
                  {lockedIds.has(layer.id) ? <IconLock size={14} aria-label="locked" /> : null}
                  {hiddenIds.has(layer.id) ? <IconEyeOff size={14} aria-label="hidden" /> : null}
                </button>
              </li>
            );
          })}
        </ol>
      )}
      {chosen === undefined ? null : (
        <Group gap={6} px="md" py="xs" role="group" aria-label="The chosen layer">
          {mayChange ? (
            <>
              <Small label="Up" isOff={place === 0} act={() => actions.move(chosen.id, place - 1)} />
              <Small label="Down" isOff={place === layers.length - 1} act={() => actions.move(chosen.id, place + 1)} />
              <Small label="Duplicate" act={() => actions.copy(chosen.id)} />
              <Small label="Delete" act={() => actions.remove(chosen.id)} />
            </>
          ) : null}
          <Small label={lockedIds.has(chosen.id) ? 'Unlock' : 'Lock'} act={() => actions.lock(chosen.id)} />
          <Small label={hiddenIds.has(chosen.id) ? 'Show' : 'Hide'} act={() => actions.hide(chosen.id)} />
        </Group>
      )}
      {mayChange ? (
        <Group gap={6} px="md" py="sm" role="group" aria-label="Add a layer" className="platen-add">
          {TYPES.map((type) => (
            <Button
              key={type}
              size="compact-sm"
              variant="light"
              aria-label={`Add ${LAYER_LABELS[type].toLowerCase()}`}
              onClick={() => actions.add(type)}
            >
              + {LAYER_LABELS[type]}
            </Button>
          ))}
        </Group>
      ) : null}
    </Panel>
  );
}

function Small({ label, isOff = false, act }: { label: string; isOff?: boolean; act: () => void }) {
  return (
    <Button size="compact-xs" variant="default" disabled={isOff} onClick={act}>
      {label}
    </Button>
  );
}
