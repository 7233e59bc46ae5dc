import { Button, Group, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useCommands } from '../../shared/commands/registry.ts';
import { Panel } from '../../shared/layout/panel.tsx';
import { LineStatus, type Order, type OrderLine } from '../../shared/orders/status.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { Picture } from '../../shared/values/picture.tsx';
import { wordsOf } from '../../shared/values/words.ts';
import { FailedArtwork } from './failed-artwork.tsx';
import { piecesWords } from './pieces-words.ts';
import { Proofs } from './proofs.tsx';

/** So many lines are drawn at once, and so many more at each step: an order has up to a thousand, with pictures. */
const STEP = 50;

/** The lines of an order, each with a picture of the work: the first of them, and all when asked for. */
export function Lines({ order }: { order: Order }) {
  const { items } = order;
  const { get } = useAddressState();
  const [shown, setShown] = useState(STEP);
  // A link from a list names a line and opens a dialog of it, so the line is drawn, wherever it stands.
  const linked = items.findIndex(({ id }) => id === get('replace'));
  if (linked >= shown) setShown(Math.ceil((linked + 1) / STEP) * STEP);
  const list = useRef<HTMLDivElement>(null);
  const [next, setNext] = useState<number>();
  useEffect(() => {
    // The button is another one by now, or gone: reading goes on with the first line that came.
    if (next !== undefined) (list.current?.children[next] as HTMLElement | undefined)?.focus();
  }, [next]);
  const show = (count: number): void => {
    setNext(shown);
    setShown(count);
  };
  const rest = items.length - shown;
  const all = `Show all ${countOf(items.length)}`;
  useCommands(rest > 0 ? [{ id: 'lines', label: all, group: 'Order', run: () => show(items.length) }] : []);
  return (
    <Panel title={items.length === 1 ? 'One line' : countOf(items.length)}>
      <div className="platen-lines" ref={list}>
        {items.slice(0, shown).map((line) => (
          <Line key={line.id} order={order} line={line} />
        ))}
      </div>
      {rest <= 0 ? null : (
        <Group gap="sm" className="platen-panel-body">
          <Text size="sm" c="dimmed" role="status">
            The first {shown.toLocaleString('en-GB')} of {countOf(items.length)}.
          </Text>
          <Button variant="default" onClick={() => show(shown + STEP)}>
            Show {Math.min(rest, STEP)} more {rest === 1 ? 'line' : 'lines'}
          </Button>
          {rest <= STEP ? null : (
            <Button variant="default" onClick={() => show(items.length)}>
              {all}
            </Button>
          )}
        </Group>
      )}
    </Panel>
  );
}

const countOf = (lines: number): string => `${lines.toLocaleString('en-GB')} lines`;

function Line({ order, line }: { order: Order; line: OrderLine }) {
  const pieces = piecesWords([line]);
  return (
    <div className="platen-line platen-ordered-line" tabIndex={-1}>
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
