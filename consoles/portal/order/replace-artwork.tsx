import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { ArtworkField } from '../../shared/artwork/artwork-field.tsx';
import type { Order, OrderLine } from '../../shared/orders/status.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';
import { wordsOf } from '../../shared/values/words.ts';

export type Area = NonNullable<OrderLine['artwork']>['areas'][number];
export type Spot = { readonly order: Order; readonly line: OrderLine; readonly area: Area };
type Look = Reply<'lookAtArtwork'>;

/** Takes other artwork for an area that failed: first a look at how it prints, then the replacement. */
export function ReplaceArtwork({
  spot: { order, line, area },
  others,
  onDone,
}: {
  spot: Spot;
  /** Other lines with the same failed artwork on the same area. */
  others: readonly OrderLine[];
  onDone: () => void;
}) {
  const queries = useQueryClient();
  const [url, setUrl] = useState('');
  const [isForAll, setForAll] = useState(true);
  const [looked, setLooked] = useState<{ readonly url: string; readonly look: Look }>();
  const [failure, setFailure] = useState<Error>();
  const [isSending, setSending] = useState(false);
  const isUnderWay = useRef(false);
  const look = looked?.url === url.trim() ? looked.look : undefined;
  const problem = failure instanceof Refused ? failure.problem.errors.find(({ path }) => path === 'url') : undefined;
  const once = async (work: () => Promise<void>): Promise<void> => {
    // A second press can come before the button is drawn as busy.
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setSending(true);
    setFailure(undefined);
    try {
      await work();
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    } finally {
      isUnderWay.current = false;
      setSending(false);
    }
  };
  const body = { print_area: area.print_area, url: url.trim() };
  const lookAtIt = async (): Promise<void> => {
    const seen = await call('lookAtArtwork', { path: { id: order.id, line: line.id }, body });
    setLooked({ url: body.url, look: seen });
  };
  const replace = async (): Promise<void> => {
    try {
      for (const one of [line, ...(isForAll ? others : [])]) {
        await call('replaceArtwork', { path: { id: order.id, line: one.id }, body });
      }
    } finally {
      // What was replaced before one was refused is shown, too.
      await queries.invalidateQueries();
    }
    notifyOf('The new artwork is being made into its print file.');
    onDone();
  };
  return (
    <Stack gap="md">
      <Text size="sm">It is printed by {wordsOf(area.method)} at the place that the line has. The price stays.</Text>
      {failure === undefined || problem !== undefined ? null : <Failure error={failure} />}
      <ArtworkField
        label="New artwork"
        url={url}
        onChange={(next) => {
          setFailure(undefined);
          setUrl(next);
        }}
        problem={problem?.message}
      />
      {look === undefined ? null : <Seen look={look} />}
      {look === undefined || others.length === 0 ? null : (
        <Checkbox
          label={
            others.length === 1
              ? 'Also on the other line with this artwork'
              : `Also on the ${others.length} other lines with this artwork`
          }
          checked={isForAll}
          onChange={({ currentTarget }) => setForAll(currentTarget.checked)}
        />
      )}
      <Group gap="sm">
        {look === undefined ? (
          <Button
            disabled={url.trim() === ''}
            loading={isSending}
            loaderProps={{ type: 'dots' }}
            onClick={() => void once(lookAtIt)}
          >
            See how it prints
          </Button>
        ) : (
          <Button loading={isSending} loaderProps={{ type: 'dots' }} onClick={() => void once(replace)}>
            Replace artwork
          </Button>
        )}
        <Button variant="default" onClick={onDone}>
          Keep it as it is
        </Button>
      </Group>
    </Stack>
  );
}

/** The picture on the garment, and how large and sharp it prints. */
function Seen({ look }: { look: Look }) {
  const { print, source, warnings } = look;
  const facts = [
    `${print.width_mm} × ${print.height_mm} mm`,
    `${print.dpi} dpi`,
    `from ${source.width} × ${source.height} pixels`,
    ...(print.share_outside < 0.01 ? [] : [`${Math.round(100 * print.share_outside)} % is cut off`]),
  ];
  return (
    <section aria-label="How it prints" aria-live="polite">
      <img
        className="platen-look"
        src={look.picture_url}
        alt={`The new artwork on ${wordsOf(look.print_area)}`}
        width={320}
        height={320}
      />
      <Text size="sm" mt="xs">
        {facts.join(' · ')}
      </Text>
      {warnings.map(({ code, message }) => (
        <p key={code} className="platen-note" role="note">
          {message}
        </p>
      ))}
    </section>
  );
}
