import { Button, Group, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import type { OrderLine } from '../../shared/orders/status.tsx';
import { ProofPicture } from '../../shared/values/proof-picture.tsx';
import { wordsOf } from '../../shared/values/words.ts';

type Area = NonNullable<OrderLine['artwork']>['areas'][number];

/** A button for the proof of each print area of a line; the picture is loaded once it is opened. */
export function Proofs({ line }: { line: OrderLine }) {
  const [shown, setShown] = useState<Area>();
  const areas = (line.artwork?.areas ?? []).filter((area) => area.proof_url !== null);
  if (areas.length === 0) return null;
  return (
    <Group gap={6} mt={6}>
      {areas.map((area) => (
        <Button key={area.print_area} size="compact-xs" variant="default" onClick={() => setShown(area)}>
          Proof: {wordsOf(area.print_area)}
        </Button>
      ))}
      <Modal
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={shown === undefined ? '' : `${line.name}: ${wordsOf(shown.print_area)}`}
        size="lg"
        closeOnClickOutside
      >
        {shown === undefined ? null : <Proof area={shown} line={line} />}
      </Modal>
    </Group>
  );
}

function Proof({ area, line }: { area: Area; line: OrderLine }) {
  return (
    <>
      <ProofPicture url={area.proof_url ?? ''} alt={`What is printed on ${wordsOf(area.print_area)} of ${line.name}`} />
      <Text size="sm" c="dimmed" mt="sm">
        {factsOf(area).join(' · ')}
      </Text>
    </>
  );
}

/** How it prints, in the words of a person; a personalised piece has no one picture to tell of. */
function factsOf({ method, print, source }: Area): string[] {
  return [
    `by ${wordsOf(method)}`,
    ...(print === null ? [] : [`${print.width_mm} × ${print.height_mm} mm`, `${print.dpi} dpi`]),
    ...(source === null ? [] : [`from ${source.width} × ${source.height} pixels`]),
    ...(print === null || print.share_outside < 0.01 ? [] : [`${Math.round(100 * print.share_outside)} % is cut off`]),
  ];
}
