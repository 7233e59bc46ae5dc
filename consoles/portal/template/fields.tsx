import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';

/** A number that is typed: it counts once it is one, and what is typed halfway stays. */
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
  const [text, setText] = useState(String(value));
  useEffect(() => setText((before) => (Number(before) === value ? before : String(value))), [value]);
  return (
    <TextInput
      label={unit === undefined ? label : `${label}, ${unit}`}
      inputMode={isWhole ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={text}
      error={error}
      onChange={({ currentTarget }) => {
        const typed = currentTarget.value;
        setText(typed);
        const number = Number(typed.replace(',', '.'));
        if (typed.trim() !== '' && Number.isFinite(number)) onChange(isWhole ? Math.round(number) : number);
      }}
      onBlur={() => setText(String(value))}
    />
  );
}

/** A colour, by the browser's own chooser. */
export function ColourField({
  label,
  value,
  error,
  onChange,
}: {
  label: string;
  value: string;
  error?: string | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <TextInput
      label={label}
      type="color"
      className="platen-colour"
      value={value}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.value.toLowerCase())}
    />
  );
}
