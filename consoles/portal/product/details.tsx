import { Stack, Textarea, TextInput } from '@mantine/core';
import { Panel } from '../../shared/layout/panel.tsx';
import type { ChangeDraft } from './designer.tsx';
import type { Draft } from './draft.ts';

/** What the product is called. */
export function Details({
  draft,
  problemAt,
  onChange,
}: {
  draft: Draft;
  problemAt: (path: string) => string | undefined;
  onChange: ChangeDraft;
}) {
  return (
    <Panel title="Product">
      <div className="platen-panel-body">
        <Stack gap="sm">
          <TextInput
            label="Name"
            description="The label of its order lines."
            maxLength={200}
            autoComplete="off"
            value={draft.name}
            error={problemAt('name')}
            onChange={({ currentTarget: { value } }) => onChange((before) => ({ ...before, name: value }), 'name')}
          />
          <Textarea
            label="Description"
            rows={3}
            maxLength={5_000}
            value={draft.description}
            error={problemAt('description')}
            onChange={({ currentTarget: { value } }) =>
              onChange((before) => ({ ...before, description: value }), 'description')
            }
          />
        </Stack>
      </div>
    </Panel>
  );
}
