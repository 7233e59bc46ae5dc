import { Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { ArtworkField } from '../../shared/artwork/artwork-field.tsx';
import { Picture } from '../../shared/values/picture.tsx';
import { freeKey, type LayerOf } from './model.ts';
import type { ChangeLayer } from './properties.tsx';

type Choice = LayerOf<'image_select'>;

/** The pictures that a buyer chooses from. */
export function Options({
  id,
  layer,
  pictures,
  mayChange,
  problemAt,
  onChange,
  onPicture,
}: {
  /** Of the product. */
  id: string;
  layer: Choice;
  pictures: ReadonlyMap<string, string>;
  mayChange: boolean;
  problemAt: (member: string) => string | undefined;
  onChange: ChangeLayer;
  onPicture: (design: string, url: string) => void;
}) {
  const [url, setUrl] = useState('');
  const [isAdding, setAdding] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const set = (update: (options: Choice['options']) => Choice['options'], gesture: string): void =>
    onChange(
      (before) => (before.type === 'image_select' ? { ...before, options: update(before.options) } : before),
      `${layer.id} ${gesture}`,
    );
  const add = async (): Promise<void> => {
    setAdding(true);
    setRefusal(undefined);
    try {
      const added = await call('addTemplatePicture', { path: { id }, body: { url } });
      onPicture(added.design, added.image_url);
      set((options) => [...options, newOption(options, added.design)], `add ${added.design}`);
      setUrl('');
    } catch (error) {
      const words = error instanceof Refused ? error.problem.errors[0]?.message : undefined;
      setRefusal(words ?? (error instanceof Error ? error.message : String(error)));
    } finally {
      setAdding(false);
    }
  };
  return (
    <>
      <Text size="sm" fw={600}>
        Pictures to choose from
      </Text>
      {layer.options.length === 0 ? (
        <Text size="xs" c="dimmed">
          {problemAt('options') === undefined ? 'None yet.' : 'None yet: a choice needs one at least.'}
        </Text>
      ) : null}
      {layer.options.map((option, index) => (
        <Group key={option.id} gap="xs" wrap="nowrap" align="flex-start">
          <Picture url={pictures.get(option.design) ?? null} alt={option.name} size={36} />
          <TextInput
            style={{ flex: 1, minWidth: 0 }}
            aria-label={`Name of picture ${index + 1}`}
            maxLength={200}
            autoComplete="off"
            value={option.name}
            error={problemAt(`options[${index}].name`) ?? problemAt(`options[${index}].design`)}
            onChange={({ currentTarget: { value } }) =>
              set((options) => options.map((one, at) => (at === index ? { ...one, name: value } : one)), 'option')
            }
          />
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={`Remove picture ${index + 1}`}
            onClick={() => set((options) => options.toSpliced(index, 1), `remove ${option.id}`)}
          >
            Remove
          </Button>
        </Group>
      ))}
      {mayChange ? (
        <>
          <ArtworkField label="Another picture" url={url} problem={refusal} onChange={setUrl} />
          <Button
            variant="light"
            size="compact-md"
            disabled={url.trim() === ''}
            loading={isAdding}
            loaderProps={{ type: 'dots' }}
            onClick={() => void add()}
          >
            Add the picture
          </Button>
        </>
      ) : null}
    </>
  );
}

function newOption(options: Choice['options'], design: string): Choice['options'][number] {
  const id = freeKey({ layers: options }, `option_${options.length + 1}`);
  return { id, name: `Picture ${options.length + 1}`, design };
}
