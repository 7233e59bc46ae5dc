import { Box, Checkbox, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { call, type Input, type Reply } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { reading } from '../../shared/api/queries.ts';
import { ArtworkField } from '../../shared/artwork/artwork-field.tsx';
import { Uploads, uploadUnderWay, useUploads } from '../../shared/artwork/uploads.ts';
import { Form } from '../../shared/form/form.tsx';
import { ChangedMeanwhile, differing, useStoredForm } from '../../shared/form/stored.tsx';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { letGo } from '../../shared/layout/way.ts';
import { KeepUnsaved } from '../../shared/leaving/unsaved.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';
import { DraftSlip } from './draft-slip.tsx';
import { Logo, SlipLink } from './slip.tsx';

type Brand = Reply<'getBrand'>;

/** A brand that is to be. */
export function NewBrandPage() {
  const { role } = useSession().session.user;
  const [, navigate] = useLocation();
  const brands = useQuery(reading('listBrands', { query: { limit: 1 } }));
  if (role !== 'owner' && role !== 'manager') {
    return (
      <Page title="New brand">
        <Empty title="An owner or a manager makes brands." />
      </Page>
    );
  }
  return (
    <Page title="New brand">
      <Panel title="On the packing slip">
        <div className="platen-panel-body">
          <Answer query={brands} lines={8}>
            {({ data }) => (
              <BrandForm
                brand={undefined}
                // The first brand of a shop is meant for its orders, as a rule.
                isDefault={data.length === 0}
                onSaved={({ id }) => navigate(`/brands/${id}`)}
              />
            )}
          </Answer>
        </div>
      </Panel>
    </Page>
  );
}

/** A brand, with what its slip looks like. */
export function BrandPage({ id }: { id: string }) {
  const { role } = useSession().session.user;
  const query = useQuery(reading('getBrand', { path: { id } }));
  return (
    <Page title={query.data?.name ?? 'Brand'}>
      <Answer query={query} lines={8}>
        {(brand) => {
          const mayChange = brand.status === 'active' && (role === 'owner' || role === 'manager');
          return (
            <div className="platen-columns">
              <Panel title="On the packing slip">
                <div className="platen-panel-body">
                  {mayChange ? (
                    <BrandForm key={brand.id} brand={brand} isDefault={brand.is_default} onSaved={() => {}} />
                  ) : (
                    <Shown brand={brand} />
                  )}
                </div>
              </Panel>
              <Panel title="As it is printed">
                <div className="platen-panel-body">
                  <Stack gap="sm">
                    <Logo brand={brand} />
                    <Text size="sm">
                      <SlipLink brand={brand} />
                    </Text>
                    <Text size="sm">
                      The slip is that of a made-up order. Placed orders keep the brand as it was then; invoices and
                      customs forms stay those of the print shop.
                    </Text>
                    <Text size="sm">
                      <Link href="/brands" className="platen-link">
                        All brands
                      </Link>
                    </Text>
                  </Stack>
                </div>
              </Panel>
            </div>
          );
        }}
      </Answer>
    </Page>
  );
}

function Shown({ brand }: { brand: Brand }) {
  const { message, support_email: email, website, return_lines: lines, status } = brand;
  return (
    <Stack gap="sm">
      {status === 'archived' ? <Text size="sm">This brand is archived: no order can name it any more.</Text> : null}
      {[message, email, website, lines.join('\n')]
        .filter((text) => text !== '')
        .map((text) => (
          <Text key={text} size="sm" style={{ whiteSpace: 'pre-line' }}>
            {text}
          </Text>
        ))}
    </Stack>
  );
}

type Values = {
  name: string;
  message: string;
  support_email: string;
  website: string;
  return_lines: string;
  logo_url: string;
  has_logo: boolean;
  is_default: boolean;
};

function BrandForm({
  brand,
  isDefault,
  onSaved,
}: {
  brand: Brand | undefined;
  isDefault: boolean;
  onSaved: (brand: Brand) => void;
}) {
  const queries = useQueryClient();
  const [uploads, countUpload] = useUploads();
  const { form, stored, isUnsaved, isChanged, keep } = useStoredForm(brand, (record) =>
    valuesOf(record, record?.is_default ?? isDefault),
  );
  const { logo_url: logoUrl, has_logo: hasLogo } = form.values;
  const save = async (values: Values): Promise<void> => {
    if (uploads > 0) throw uploadUnderWay();
    try {
      const body = bodyOf(values, brand);
      const saved =
        brand === undefined
          ? await call('createBrand', { body })
          : await call('updateBrand', { path: { id: brand.id }, body: differing(body, bodyOf(stored, brand)) });
      keep(saved, values);
      // The page of a new one is gone to before this is drawn.
      if (brand === undefined) letGo();
      queries.setQueryData(reading('getBrand', { path: { id: saved.id } }).queryKey, saved);
      await queries.invalidateQueries({ queryKey: ['listBrands'] });
      notifyOf('Saved. Orders from now on carry it.');
      onSaved(saved);
    } catch (error) {
      if (error instanceof Refused) showAt(error);
      throw error;
    }
  };
  const showAt = ({ problem }: Refused): void =>
    form.setErrors(
      Object.fromEntries(problem.errors.map(({ path, message }) => [path.replace(/\[\d+\]$/, ''), message])),
    );
  return (
    <Uploads value={countUpload}>
      <KeepUnsaved isUnsaved={uploads > 0 || isUnsaved} />
      {isChanged ? <ChangedMeanwhile what="This brand" /> : null}
      <Form form={form} submit={save} label={brand === undefined ? 'Create it' : 'Save'}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <TextInput
            label="Name"
            description="Stands where the print shop’s name would."
            required
            autoComplete="off"
            {...form.getInputProps('name')}
          />
          <TextInput
            label="Support email"
            description="Where a buyer asks for help."
            type="email"
            autoComplete="off"
            {...form.getInputProps('support_email')}
          />
          <TextInput
            label="Website"
            description="With https://"
            type="url"
            autoComplete="off"
            {...form.getInputProps('website')}
          />
          <Textarea
            label="Returns go to"
            description="Up to six lines, as they are to be printed."
            rows={3}
            {...form.getInputProps('return_lines')}
          />
          <Textarea
            className="platen-wide"
            label="Message to the buyer"
            description="Up to 500 characters, below the pieces."
            rows={3}
            {...form.getInputProps('message')}
          />
          <ArtworkField
            label={hasLogo ? 'Another logo' : 'Logo'}
            url={logoUrl}
            onChange={(url) => form.setFieldValue('logo_url', url)}
            problem={typeof form.errors.logo_url === 'string' ? form.errors.logo_url : undefined}
          />
          <Stack gap="xs" className="platen-wide">
            {brand !== undefined && brand.logo_url !== null ? (
              <Checkbox label="With the logo" {...form.getInputProps('has_logo', { type: 'checkbox' })} />
            ) : null}
            <Checkbox
              label="The default: for orders that name no brand"
              {...form.getInputProps('is_default', { type: 'checkbox' })}
            />
          </Stack>
        </SimpleGrid>
      </Form>
      <Box mt="sm">
        <DraftSlip draft={draftOf(form.values, brand)} />
      </Box>
    </Uploads>
  );
}

const valuesOf = (brand: Brand | undefined, isDefault: boolean): Values => ({
  name: brand?.name ?? '',
  message: brand?.message ?? '',
  support_email: brand?.support_email ?? '',
  website: brand?.website ?? '',
  return_lines: brand?.return_lines.join('\n') ?? '',
  logo_url: '',
  has_logo: brand !== undefined && brand.logo_url !== null,
  is_default: isDefault,
});

function draftOf(values: Values, brand: Brand | undefined): Input<'drawSlipOfDraft'>['body'] {
  const { logo_url: _logo, is_default: _default, ...printed } = bodyOf(values, brand);
  return { ...printed, ...(brand !== undefined && values.has_logo ? { logo_of: brand.id } : {}) };
}

function bodyOf(values: Values, brand: Brand | undefined): Input<'createBrand'>['body'] {
  const { name, message, support_email, website, logo_url: url, has_logo: hasLogo, is_default } = values;
  const lines = values.return_lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const isRemoved = brand !== undefined && brand.logo_url !== null && !hasLogo;
  return {
    name,
    message,
    support_email: support_email.trim(),
    website: website.trim(),
    return_lines: lines,
    is_default,
    ...(url.trim() !== '' ? { logo_url: url.trim() } : isRemoved ? { logo_url: null } : {}),
  };
}
