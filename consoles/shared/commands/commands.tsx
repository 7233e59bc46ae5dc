import { lazy, Suspense, useEffect, useState } from 'react';
import { allCommands, type Command, runByKey, useCommands } from './registry.ts';

/** What was asked for, and the commands of the page as it was then. */
export type Asked = { readonly what: 'palette' | 'keys'; readonly commands: readonly Command[] };

// Most pages are left without either, so neither is in the first script.
const Palette = lazy(() => import('./palette.tsx'));

const OPEN = 'platen-palette';

/** The listener for the keys of commands, with the palette of all of them (Ctrl-K) and the list of keys (`?`). */
export function Commands() {
  const [asked, setAsked] = useState<Asked>();
  useEffect(() => {
    const open = (): void => setAsked({ what: 'palette', commands: allCommands() });
    document.addEventListener('keydown', runByKey);
    document.addEventListener(OPEN, open);
    return () => {
      document.removeEventListener('keydown', runByKey);
      document.removeEventListener(OPEN, open);
    };
  }, []);
  useCommands([
    { id: 'palette', label: 'All commands', group: 'Everywhere', keys: 'mod+k', isKeyOnly: true, run: openPalette },
    {
      id: 'keys',
      label: 'Show the keys',
      group: 'Everywhere',
      keys: '?',
      run: () => setAsked({ what: 'keys', commands: allCommands() }),
    },
  ]);
  if (asked === undefined) return null;
  return (
    <Suspense fallback={null}>
      <Palette asked={asked} />
    </Suspense>
  );
}

/** Opens the palette. */
export function openPalette(): void {
  document.dispatchEvent(new Event(OPEN));
}
