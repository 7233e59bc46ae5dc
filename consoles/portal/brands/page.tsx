import { Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { call, download, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { notifyOf, notifyOfFailure } from '../../shared/states/notify.tsx';
import { SaveCsv } from '../../shared/table/save-csv.tsx';
import { Logo, SlipLink } from './slip.tsx';

export type Brand = Reply<'listBrands'>['data'][number];

/** All that an account may have. */
const LIMIT = 100;

/** The shop names under which the account sells, and what each puts on the packing slip. */
export function BrandsPage() {
  const { role } = useSession().session.user;
  const mayChange = role === 'owner' || role === 'manager';
  const [, navigate] = useLocation();
  const query = useQuery(reading('listBrands', { query: { limit: LIMIT } }));
  const [question, setQuestion] = useState<Question>();
  const queries = useQueryClient();
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['listBrands'] });
  const setDefault = async ({ id, name }: Brand, isDefault: boolean): Promise<void> => {
    try {
      await call('updateBrand', { path: { id }, body: { is_default: isDefault } });
      await refresh();
      notifyOf(
        isDefault ? `Orders that name no brand are ${name} from now on.` : 'Orders that name no brand have none.',
      );
    } catch (error) {
      notifyOfFailure(error);
    }
  };
  const archive = ({ id, name }: Brand): void =>
    setQuestion({
      title: `Archive ${name}?`,
      label: 'Archive it',
      act: async () => {
        await call('archiveBrand', { path: { id } });
        await refresh();
      },
    });
  useCommands([
    ...(mayChange
      ? [
          { id: 'new-brand', label: 'New brand', group: 'Brands', run: () => navigate('/brands/new') },
          ...(query.data?.data ?? []).flatMap((brand) => [
            {
              id: `default-${brand.id}`,
              label: defaultWords(brand),
              group: 'Brands',
              run: () => void setDefault(brand, !brand.is_default),
            },
            { id: `archive-${brand.id}`, label: `Archive ${brand.name}`, group: 'Brands', run: () => archive(brand) },
          ]),
        ]
      : []),
    { id: 'refresh', label: 'Look again', group: 'Brands', keys: 'r', run: () => void query.refetch() },
  ]);
  return (
    <Page title="Brands" aside={mayChange ? <NewBrand /> : null}>
      <section className="platen-panel" aria-label="Brands">
        <Group px="md" py="xs" justify="flex-end">
          <SaveCsv
            group="Brands"
            save={() => download('listBrands', {}, { mediaType: 'text/csv', name: 'brands.csv' })}
          />
        </Group>
        <Answer query={query} lines={4}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="There is no brand yet.">
                The packing slip in a parcel carries the name of the print shop. With a brand it carries your shop.
              </Empty>
            ) : (
              <ul className="platen-brands">
                {data.map((brand) => (
                  <li key={brand.id}>
                    <Entry brand={brand} mayChange={mayChange} setDefault={setDefault} archive={archive} />
                  </li>
                ))}
              </ul>
            )
          }
        </Answer>
      </section>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">
          No order can name it any more; if it is the default, orders that name none carry the print shop’s name. Placed
          orders keep it. It cannot be brought back.
        </Text>
      </Confirm>
    </Page>
  );
}

function defaultWords({ name, is_default: isDefault }: Brand): string {
  return isDefault ? `Not by default: ${name}` : `Make it the default: ${name}`;
}

const NewBrand = () => (
  <Button component={Link} href="/brands/new">
    New brand
  </Button>
);

function Entry({
  brand,
  mayChange,
  setDefault,
  archive,
}: {
  brand: Brand;
  mayChange: boolean;
  setDefault: (brand: Brand, isDefault: boolean) => Promise<void>;
  archive: (brand: Brand) => void;
}) {
  const { id, name, is_default: isDefault, website, support_email: email } = brand;
  return (
    <>
      <Logo brand={brand} />
      <div className="platen-brand-words">
        <Group gap="xs">
          <Link href={`/brands/${id}`} className="platen-link">
            {name}
          </Link>
          {isDefault ? (
            <span className="platen-status" data-tone="good">
              default
            </span>
          ) : null}
        </Group>
        <Text size="xs" c="dimmed">
          {[website, email].filter((text) => text !== '').join(', ')}
        </Text>
      </div>
      <Group gap="xs">
        <SlipLink brand={brand} />
        {mayChange ? (
          <>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={defaultWords(brand)}
              onClick={() => void setDefault(brand, !isDefault)}
            >
              {isDefault ? 'Not by default' : 'Make it the default'}
            </Button>
            <Button size="compact-sm" variant="default" aria-label={`Archive ${name}`} onClick={() => archive(brand)}>
              Archive
            </Button>
          </>
        ) : null}
      </Group>
    </>
  );
}
