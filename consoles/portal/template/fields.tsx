import { TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';

/**
 * A number that is typed: it counts once it is one, and what is typed halfway stays as it is.
 * The value may be rounded, as to whole pixels: its own figure stands there once the field is left.
 */
export function NumberField({
  label,
  value,
  unit,
  error,
  isWhole = false,
  onChange,
}: {
  label: string;
  value: number;
  unit?: string;
  error?: string | undefined;
  isWhole?: boolean;
  onChange: (value: number) => void;
}) {
  const [typed, setTyped] = useState<string>();
  const isOwn = useRef(false);
  // A value that changed by anything but this typing is shown at once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: both say when something has changed
  useEffect(() => {
    if (!isOwn.current) setTyped(undefined);
    isOwn.current = false;
  }, [value, typed]);
  const type = (text: string): void => {
    isOwn.current = true;
    setTyped(text);
    const number = Number(text.replace(',', '.'));
    if (text.trim() !== '' && Number.isFinite(number)) onChange(isWhole ? Math.round(number) : number);
  };
  return (
    <TextInput
      label={unit === undefined ? label : `${label}, ${unit}`}
      inputMode={isWhole ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={typed ?? String(value)}
      error={error}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onBlur={() => setTyped(undefined)}
    />
  );
}
