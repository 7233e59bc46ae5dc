import { Button, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import type { Order, OrderLine } from '../../shared/orders/status.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { Moment } from '../../shared/values/moment.tsx';
import { wordsOf } from '../../shared/values/words.ts';
import { type Area, ReplaceArtwork, type Spot } from './replace-artwork.tsx';

/** What of the artwork of a line failed and why, and where other artwork is sent in its place. */
export function FailedArtwork({ order, line }: { order: Order; line: OrderLine }) {
  const { role } = useSession().session.user;
  const areas = line.artwork?.areas ?? [];
  const { get, set } = useAddressState();
  const open = areas.find((area) => isFailed(area) && area.actions.replace.available);
  // A link from a list names the line, and opens what it is about.
  const [chosen, setReplacing] = useState<Area>();
  const replacing = chosen ?? (get('replace') === line.id && role !== 'reader' ? open : undefined);
  const close = (): void => {
    setReplacing(undefined);
    if (get('replace') !== undefined) set({ replace: undefined });
  };
  if (!areas.some((area) => isFailed(area) || area.replaced_at !== null)) return null;
  return (
    <div className="platen-line-below">
      {areas.filter(isFailed).map((area) => (
        <div key={area.print_area} className="platen-note platen-failed-area" role="note">
          <Text size="sm">{whyOf(area)}</Text>
          {area.actions.replace.available && role !== 'reader' ? (
            <Button variant="default" size="compact-sm" onClick={() => setReplacing(area)}>
              Replace artwork
            </Button>
          ) : null}
        </div>
      ))}
      {areas.map(({ print_area: area, replaced_at: at }) =>
        at === null ? null : (
          <Text key={area} size="xs" c="dimmed" mt={4}>
            Artwork for {wordsOf(area)} replaced <Moment at={at} />
          </Text>
        ),
      )}
      <Modal
        opened={replacing !== undefined}
        onClose={close}
        title={replacing === undefined ? '' : `Replace the artwork: ${line.name}, ${wordsOf(replacing.print_area)}`}
        size="lg"
      >
        {replacing === undefined ? null : (
          <ReplaceArtwork
            spot={{ order, line, area: replacing }}
            others={othersOf(order, line, replacing)}
            onDone={close}
          />
        )}
      </Modal>
    </div>
  );
}

function isFailed({ failure, state, actions }: Area): boolean {
  return failure !== null || (state === 'expired' && actions.replace.available);
}

function whyOf({ print_area: printArea, failure, actions }: Area): string {
  const area = wordsOf(printArea);
  if (failure === null) return `The artwork for ${area} was deleted because its time was over. Send it again.`;
  const what = `The print file for ${area} could not be made. ${failure}`.trim().replace(/[.!]?$/, '.');
  return actions.replace.available ? what : `${what} The shop looks at it.`;
}

/** The other lines that print the same failed picture on the same area. */
function othersOf({ items }: Order, line: OrderLine, { print_area: printArea, source }: Area): Spot['line'][] {
  if (source === null) return [];
  return items.filter(
    ({ id, artwork }) =>
      id !== line.id &&
      (artwork?.areas ?? []).some(
        (area) =>
          area.print_area === printArea && area.actions.replace.available && area.source?.sha256 === source.sha256,
      ),
  );
}
