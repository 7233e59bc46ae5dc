import { NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Refused } from '../../shared/api/failures.ts';
import { reading } from '../../shared/api/queries.ts';
import { ArtworkField } from '../../shared/artwork/artwork-field.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { useSettled } from '../../shared/values/settled.ts';
import type { ChangeDraft } from './designer.tsx';
import { type Design, type GarmentArea, type PlacedDesign, placedFirst } from './draft.ts';
import { type Looked, TakeOff } from './placing.tsx';

const SETTLE_MS = 500;

/** The artwork of one print area: where it comes from, how it is printed, and what the service says of it. */
export function AreaPanel({
  area,
  placed,
  looked,
  isBehind,
  lookFailure,
  onChange,
}: {
  area: GarmentArea;
  placed: PlacedDesign | undefined;
  looked: Looked | undefined;
  isBehind: boolean;
  lookFailure: Error | null;
  onChange: ChangeDraft;
}) {
  const { print_area: name, title, methods } = area;
  const [url, setUrl] = useState('');
  const put = (design: Design): void =>
    onChange((before) => {
      const method = before.areas[name]?.method ?? methods[0]?.method ?? '';
      const position = placedFirst(area, design);
      return { ...before, areas: { ...before.areas, [name]: { method, design, position } } };
    });
  const isPlaced = placed !== undefined;
  const { problem, isTaking } = useTaking(url, put, isPlaced);
  // What was taken off may be put on again by its address.
  useEffect(() => {
    if (!isPlaced) setUrl('');
  }, [isPlaced]);
  const setMethod = (method: string): void =>
    onChange((before) => {
      const was = before.areas[name];
      return was === undefined ? before : { ...before, areas: { ...before.areas, [name]: { ...was, method } } };
    });
  return (
    <Panel
      title={`Artwork: ${title.toLowerCase()}`}
      aside={placed === undefined ? undefined : <TakeOff area={area} onChange={onChange} />}
    >
      <div className="platen-panel-body">
        <Stack gap="sm">
          <ArtworkField
            label={placed === undefined ? 'Address or file' : 'Other artwork'}
            url={url}
            onChange={setUrl}
            problem={problem}
          />
          {isTaking ? (
            <Text size="sm" role="status">
              The artwork is being fetched and checked.
            </Text>
          ) : null}
          {placed === undefined ? (
            <Text size="sm" c="dimmed">
              {area.width_mm} × {area.height_mm} mm on every size. PNG, JPEG or WebP, at most 50 MB.
            </Text>
          ) : (
            <>
              <NativeSelect
                label="Method"
                data={methods.map(({ method, title: label }) => ({ value: method, label }))}
                value={placed.method}
                onChange={({ currentTarget }) => setMethod(currentTarget.value)}
              />
              <Verdict looked={looked} isBehind={isBehind} methods={methods} />
              {lookFailure === null ? null : <Failure error={lookFailure} />}
            </>
          )}
        </Stack>
      </div>
    </Panel>
  );
}

/** What the service says of the print: its size and sharpness on the end sizes, each method, and its warnings. */
function Verdict({
  looked,
  isBehind,
  methods,
}: {
  looked: Looked | undefined;
  isBehind: boolean;
  methods: GarmentArea['methods'];
}) {
  const titles = new Map(methods.map(({ method, title }) => [method, title]));
  if (looked === undefined) return <Text size="sm">How it prints is being asked for.</Text>;
  return (
    <div aria-live="polite" aria-busy={isBehind} className={isBehind ? 'platen-behind' : ''}>
      {looked.sizes.length === 0 ? null : (
        <table className="platen-small-table">
          <caption className="platen-unseen">How it prints by size</caption>
          <thead>
            <tr>
              <th scope="col">Size</th>
              <th scope="col">Print</th>
              <th scope="col">Sharpness</th>
            </tr>
          </thead>
          <tbody>
            {looked.sizes.map(({ size, width_mm: width, height_mm: height, dpi }) => (
              <tr key={size}>
                <th scope="row">{size}</th>
                <td>
                  {width} × {height} mm
                </td>
                <td>{dpi} dpi</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <ul className="platen-methods" aria-label="By each method">
        {looked.methods.map(({ method, dpi_min: least, is_sharp: isSharp }) => (
          <li key={method}>
            <span className="platen-status" data-tone={isSharp ? 'good' : 'wait'}>
              {isSharp ? 'sharp' : 'soft'}
            </span>{' '}
            {titles.get(method) ?? method}, from {least} dpi
          </li>
        ))}
      </ul>
      {looked.warnings.map(({ code, message }) => (
        <p key={code} className="platen-note" role="note">
          {message}
        </p>
      ))}
    </div>
  );
}

/** Takes in what an address leads to, once nothing was typed for a moment; each address once while it is on. */
function useTaking(
  url: string,
  put: (design: Design) => void,
  isPlaced: boolean,
): { problem: string | undefined; isTaking: boolean } {
  const settled = useSettled(url, SETTLE_MS).trim();
  const isAddress = /^https?:\/\/\S+\.\S+/.test(settled);
  const query = useQuery({
    ...reading('takeDesign', { body: { artwork_url: settled } }),
    enabled: isAddress && settled === url.trim(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const done = useRef<string>(undefined);
  const latest = useRef(put);
  latest.current = put;
  // While another address is fetched, the answer of the one before still stands there.
  const taken = isAddress && !query.isPlaceholderData ? query.data : undefined;
  useEffect(() => {
    const isTyped = settled !== url.trim();
    if (isTyped && !isPlaced) done.current = undefined;
    if (isTyped || taken === undefined || done.current === settled) return;
    done.current = settled;
    const { design, width, height, picture_url } = taken;
    latest.current({ design, width, height, picture_url });
  }, [taken, settled, url, isPlaced]);
  const { error } = query;
  const words = error instanceof Refused ? (error.problem.errors[0]?.message ?? error.message) : error?.message;
  return { problem: isAddress ? words : undefined, isTaking: query.isFetching };
}
