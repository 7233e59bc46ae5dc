/**
 * A box that selects a row of a table, or all of them.
 * One of the browser's own: a page of a table has as many as rows, and they are drawn anew with each page.
 */
export function Check({
  label,
  isChecked,
  isMixed = false,
  onChange,
}: {
  label: string;
  isChecked: boolean;
  /** Whether some of what it stands for are selected, and not all. */
  isMixed?: boolean;
  onChange: (isChecked: boolean) => void;
}) {
  return (
    <input
      type="checkbox"
      className="platen-box"
      aria-label={label}
      checked={isChecked}
      ref={(box) => {
        if (box !== null) box.indeterminate = isMixed;
      }}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}
