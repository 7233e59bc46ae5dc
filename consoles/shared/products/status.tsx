type Look = { readonly label: string; readonly tone: 'good' | 'wait' | 'still' };

const LOOKS: ReadonlyMap<string, Look> = new Map<string, Look>([
  ['active', { label: 'Active', tone: 'good' }],
  ['draft', { label: 'Draft', tone: 'wait' }],
  ['archived', { label: 'Archived', tone: 'still' }],
]);

/** Whether a product is sold, is being made, or is over. A status that this page does not know stands as it is. */
export function ProductStatus({ status }: { status: string }) {
  const { label, tone } = LOOKS.get(status) ?? { label: status, tone: 'still' };
  return (
    <span className="platen-status" data-tone={tone}>
      {label}
    </span>
  );
}
