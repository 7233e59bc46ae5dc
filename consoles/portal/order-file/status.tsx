import type { Input } from '../../shared/api/client.ts';

type Tone = 'good' | 'wait' | 'bad' | 'busy' | 'still';

const FILES: Readonly<Record<string, readonly [label: string, tone: Tone]>> = {
  unmapped: ['Columns to choose', 'wait'],
  checking: ['Being checked', 'busy'],
  ready: ['To be confirmed', 'wait'],
  placing: ['Being placed', 'busy'],
  placed: ['Done', 'good'],
};

/** How far a file is. */
export function FileStatus({ status }: { status: string }) {
  const [label, tone]: readonly [string, Tone] = FILES[status] ?? [status, 'still'];
  return (
    <span className="platen-status" data-tone={tone}>
      {label}
    </span>
  );
}

/** What orders of a file can be narrowed to. */
export type EntryState = NonNullable<NonNullable<Input<'listOrderFileEntries'>['query']>['status']>;

const ENTRIES: Readonly<Record<string, readonly [label: string, tone: Tone]>> = {
  waiting: ['To be checked', 'still'],
  ready: ['Ready', 'wait'],
  wrong: ['To be mended', 'bad'],
  existing: ['Placed before', 'still'],
  placed: ['Placed', 'good'],
  refused: ['Not placed', 'bad'],
  others: ['Not made here', 'still'],
};

/** Those that a person looks at one by one. */
export const ENTRY_STATES: readonly EntryState[] = ['ready', 'wrong', 'existing', 'placed', 'refused', 'others'];

/** What a person calls the status of an order of a file. */
export function entryLabel(state: string): string {
  return ENTRIES[state]?.[0] ?? state;
}

/** What became of an order of a file. */
export function EntryStatus({ state }: { state: string }) {
  const [label, tone]: readonly [string, Tone] = ENTRIES[state] ?? [state, 'still'];
  return (
    <span className="platen-status" data-tone={tone}>
      {label}
    </span>
  );
}
