import { Checkbox, Stack } from '@mantine/core';
import type { Input } from '../../../shared/api/client.ts';

export type Scope = Input<'mintOwnToken'>['body']['scopes'][number];

/** What each scope lets a program do. */
const WORDS: Readonly<Record<Scope, string>> = {
  'orders:read': 'See orders, invoices, the balance, webhooks and events',
  'orders:write': 'Place and cancel orders, which spends money, and change webhooks',
  'products:read': 'See the catalogue, its prices and your products',
  'products:write': 'Make and change products',
  'tax:read': 'Ask for tax quotes',
  'shipping:read': 'Ask for shipping quotes',
};

export const SCOPES = Object.keys(WORDS) as readonly Scope[];

/** The field that chooses scopes. */
export function ScopesField({
  label,
  value,
  error,
  onChange,
}: {
  label: string;
  value: readonly Scope[];
  error?: string | undefined;
  onChange: (scopes: Scope[]) => void;
}) {
  return (
    <Checkbox.Group
      label={label}
      value={[...value]}
      error={error}
      onChange={(chosen) => onChange(SCOPES.filter((scope) => chosen.includes(scope)))}
    >
      <Stack gap={8} mt={6}>
        {SCOPES.map((scope) => (
          <Checkbox key={scope} size="sm" value={scope} label={scope} description={WORDS[scope]} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
