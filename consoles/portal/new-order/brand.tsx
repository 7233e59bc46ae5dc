import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { reading } from '../../shared/api/queries.ts';
import type { Draft } from './draft.ts';

const PRINT_SHOP = 'None: the print shop’s name';

/** Which brand the parcel carries; nothing where the account has none. */
export function BrandField({
  brand,
  problem,
  onChange,
}: {
  brand: Draft['brand'];
  /** The service's words about it. */
  problem: string | undefined;
  onChange: (brand: Draft['brand']) => void;
}) {
  const { data } = useQuery(reading('listBrands', { query: { limit: 100 } }));
  const brands = data?.data ?? [];
  if (brands.length === 0) return null;
  const preferred = brands.find(({ is_default: isDefault }) => isDefault);
  const others = brands.filter((one) => one !== preferred);
  return (
    <NativeSelect
      label="Brand on the packing slip"
      data={[
        { value: '', label: preferred === undefined ? PRINT_SHOP : `${preferred.name} (your default)` },
        ...others.map(({ id, name }) => ({ value: id, label: name })),
        ...(preferred === undefined ? [] : [{ value: 'none', label: PRINT_SHOP }]),
      ]}
      value={brand === preferred?.id ? '' : brand}
      error={problem}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
