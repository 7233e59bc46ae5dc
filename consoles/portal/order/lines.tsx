import { Text } from '@mantine/core';
import { Panel } from '../../shared/layout/panel.tsx';
import { LineStatus, type Order, type OrderLine } from '../../shared/orders/status.tsx';
import { Picture } from '../../shared/values/picture.tsx';
import { wordsOf } from '../../shared/values/words.ts';
import { FailedArtwork } from './failed-artwork.tsx';
import { piecesWords } from './pieces-words.ts';
import { Proofs } from './proofs.tsx';

/** The lines of an order, each with a picture of the work. */
export function Lines({ order }: { order: Order }) {
  return (
    <Panel title={order.items.length === 1 ? 'One line' : `${order.items.length} lines`}>
      <div className="platen-lines">
        {order.items.map((line) => (
          <Line key={line.id} order={order} line={line} />
        ))}
      </div>
    </Panel>
  );
}

function Line({ order, line }: { order: Order; line: OrderLine }) {
  const pieces = piecesWords([line]);
  return (
    <div className="platen-line platen-ordered-line">
      <Picture url={line.thumbnail_url} alt={line.name} size={88} />
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text fw={600}>{line.name}</Text>
        <Text size="sm" c="dimmed">
          {line.blank_variant_sku}
        </Text>
        <Text size="sm">
          {line.print_jobs.length === 0
            ? 'Blank, nothing printed'
            : line.print_jobs.map(({ area, method }) => `${wordsOf(area)} by ${wordsOf(method)}`).join(', ')}
        </Text>
        <Proofs line={line} />
        {line.hold === null ? null : (
          <Text size="sm" className="platen-note" mt={6}>
            On hold: {line.hold.reason}
          </Text>
        )}
      </div>
      <div style={{ textAlign: 'end' }}>
        <LineStatus status={line.status} />
        <Text size="sm" className="platen-number">
          {line.qty} {line.qty === 1 ? 'piece' : 'pieces'}
        </Text>
        {pieces === undefined ? null : <Text size="xs">{pieces}</Text>}
        <Text size="xs" c="dimmed">
          {artworkOf(line)}
        </Text>
      </div>
      <FailedArtwork order={order} line={line} />
    </div>
  );
}

function artworkOf(line: OrderLine): string {
  if (line.print_jobs.length === 0) return '';
  if (line.artwork?.state === 'expired') return 'artwork deleted';
  if (line.artwork_ready) return 'print files ready';
  const hasFailed = line.artwork?.areas.some(({ failure }) => failure !== null) === true;
  return hasFailed ? 'print files failed' : 'print files being made';
}
