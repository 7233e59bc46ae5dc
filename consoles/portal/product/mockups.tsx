import { Text } from '@mantine/core';
import { Panel } from '../../shared/layout/panel.tsx';
import { Picture } from '../../shared/values/picture.tsx';
import type { Looked } from './placing.tsx';

/** The garment in all of its colours, drawn by the service as its print files are. */
export function Mockups({ looked, isBehind }: { looked: Looked | undefined; isBehind: boolean }) {
  const mockups = looked?.mockups ?? [];
  return (
    <Panel title="In all colours">
      <div className="platen-panel-body">
        {mockups.length === 0 ? (
          <Text size="sm" c="dimmed">
            {looked === undefined
              ? 'The garment stands here in each colour once there is artwork.'
              : 'The picture of the garment does not show this print area.'}
          </Text>
        ) : (
          <ul className={`platen-mockups ${isBehind ? 'platen-behind' : ''}`} aria-label="Mockups" aria-busy={isBehind}>
            {mockups.map(({ colour, mockup_url: url }) => (
              <li key={colour}>
                <Picture url={url} alt={`In ${colour}`} size={150} />
                <span>{colour}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Panel>
  );
}
