import { TextInput } from '@mantine/core';

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
