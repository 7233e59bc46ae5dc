import { Button, Group, NativeSelect } from '@mantine/core';
import { wordsOf } from '../../shared/values/words.ts';
import type { Area, Draft } from './model.ts';

/** The print areas of the base product: which the template uses, by which method, and which one is shown. */
export function Areas({
  areas,
  draft,
  shown,
  mayChange,
  onShow,
  onChange,
}: {
  areas: readonly Area[];
  draft: Draft;
  /** By its name. */
  shown: string;
  mayChange: boolean;
  onShow: (printArea: string) => void;
  onChange: (update: (draft: Draft) => Draft) => void;
}) {
  const used = draft.areas.find(({ print_area: name }) => name === shown);
  const area = areas.find(({ print_area: name }) => name === shown);
  const [method] = area?.methods ?? [];
  const count = draft.layers.filter((layer) => layer.print_area === shown).length;
  return (
    <Group gap="sm" justify="space-between">
      <fieldset className="platen-choices" aria-label="Print areas">
        {areas.map(({ print_area: name, title }) => {
          const isUsed = draft.areas.some((one) => one.print_area === name);
          return (
            <Button
              key={name}
              size="compact-sm"
              variant={name === shown ? 'filled' : 'default'}
              aria-pressed={name === shown}
              onClick={() => onShow(name)}
            >
              {title}
              {isUsed ? '' : ' (unused)'}
            </Button>
          );
        })}
      </fieldset>
      <Group gap="xs">
        {used === undefined ? null : (
          <NativeSelect
            size="xs"
            aria-label="Method of this area"
            disabled={!mayChange}
            data={(area?.methods ?? []).map((value) => ({ value, label: wordsOf(value) }))}
            value={used.method}
            onChange={({ currentTarget: { value } }) =>
              onChange((before) => ({
                ...before,
                areas: before.areas.map((one) => (one.print_area === shown ? { ...one, method: value } : one)),
              }))
            }
          />
        )}
        {mayChange && used === undefined && method !== undefined ? (
          <Button
            size="compact-sm"
            onClick={() =>
              onChange((before) => ({ ...before, areas: [...before.areas, { print_area: shown, method }] }))
            }
          >
            Print on this area
          </Button>
        ) : null}
        {mayChange && used !== undefined && draft.areas.length > 1 ? (
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() =>
              onChange((before) => ({
                areas: before.areas.filter((one) => one.print_area !== shown),
                layers: before.layers.filter((layer) => layer.print_area !== shown),
              }))
            }
          >
            {count === 0 ? 'Leave this area out' : `Leave this area and its ${count} layers out`}
          </Button>
        ) : null}
      </Group>
    </Group>
  );
}
