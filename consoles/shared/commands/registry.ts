import { useEffect, useRef } from 'react';

/** Something that a person can do on a page: it stands in the palette, and may have a key. */
export type Command = {
  readonly id: string;
  /** As the palette shows it. */
  readonly label: string;
  /** Where it stands in the palette and in the list of keys. */
  readonly group: string;
  /** `j`, `g h` for one after the other, `mod+k` for Ctrl or ⌘. */
  readonly keys?: string;
  /** Another key for the same, which the list of keys leaves out. */
  readonly otherKeys?: string;
  /** Left out of the palette: moving from row to row is nothing to choose from a list. */
  readonly isKeyOnly?: boolean;
  readonly run: () => void;
};

const sets = new Set<{ readonly current: readonly Command[] }>();

/** Offers commands as long as the component is there. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    sets.add(latest);
    return () => void sets.delete(latest);
  }, []);
}

/** All commands of the page as it is now, those of the layout first. */
export function allCommands(): readonly Command[] {
  return [...sets].flatMap(({ current }) => current);
}

const OFF = 'platen-single-keys-off';

/** Whether single letters are commands: who dictates or types by accident can turn them off (WCAG 2.1.4). */
export function areSingleKeysOn(): boolean {
  return localStorage.getItem(OFF) === null;
}

/** Turns commands of single letters on or off in this browser. */
export function setSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, 'yes');
}

const SEQUENCE_MS = 1_000;
let before: { readonly key: string; readonly atMs: number } | undefined;

/** What a field of text undoes and does again by itself. */
const OF_THE_FIELD: ReadonlySet<string> = new Set(['mod+z', 'mod+shift+z', 'mod+y']);

/** Runs the command of a key. Nothing happens while a person types, or while a dialog is open. */
export function runByKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey) return;
  const isWithControl = event.ctrlKey || event.metaKey;
  if (!isWithControl && (isTyping(event.target) || !areSingleKeysOn())) return;
  if (document.querySelector('[role="dialog"]') !== null) return;
  const key = isWithControl ? `mod+${event.shiftKey ? 'shift+' : ''}${event.key.toLowerCase()}` : event.key;
  if (OF_THE_FIELD.has(key) && isText(event.target)) return;
  const sequence = before !== undefined && event.timeStamp - before.atMs < SEQUENCE_MS ? `${before.key} ${key}` : key;
  const commands = allCommands();
  const command =
    commands.find(({ keys }) => keys === sequence) ??
    commands.find(({ keys, otherKeys }) => keys === key || otherKeys === key);
  before = command === undefined ? { key, atMs: event.timeStamp } : undefined;
  if (command === undefined) return;
  event.preventDefault();
  command.run();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLSelectElement || isText(target);
}

function isText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'color'].includes(target.type);
}
