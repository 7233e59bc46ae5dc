import { PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect } from 'react';
import { useLocation, useSearch } from 'wouter';
import { call, type Input } from '../../shared/api/client.ts';
import { Form } from '../../shared/form/form.tsx';
import type { Shop } from '../../shared/shops/words.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';

export type LinkedPlatform = NonNullable<Input<'beginChannelLink'>['body']>['platform'];

/** What people call a platform. */
export const PLATFORMS: Readonly<Record<LinkedPlatform, string>> = {
  woocommerce: 'WooCommerce',
  shopify: 'Shopify',
  medusa: 'Medusa',
};

/** What an address looks like. */
const EXAMPLES: Readonly<Record<LinkedPlatform, string>> = {
  woocommerce: 'https://shop.example.com',
  shopify: 'your-shop.myshopify.com',
  medusa: 'https://medusa.example.com',
};

/** Platforms without a page of consent, and where their people find the key that is copied in place of it. */
const KEYS: Readonly<Partial<Record<LinkedPlatform, string>>> = {
  medusa: 'A secret key of the shop: in its admin under Settings, Secret API Keys. It begins with sk_.',
};

/** The platforms that can be linked. */
export const PLATFORM_NAMES: readonly LinkedPlatform[] = ['woocommerce', 'shopify', 'medusa'];

/**
 * The form that links a shop of a platform.
 * Its people consent on a page of the shop, to which this leads; or they copy a key, and the shop is linked at once.
 */
export function LinkForm({
  platform,
  installed,
  onLinked,
}: {
  platform: LinkedPlatform;
  installed?: string | undefined;
  onLinked: () => void;
}) {
  const address = installed === undefined ? '' : `${installed}.myshopify.com`;
  const form = useForm({ initialValues: { name: installed ?? '', address, key: '' } });
  const whereKey = KEYS[platform];
  const begin = async ({ name, address: typed, key }: typeof form.values): Promise<void> => {
    const body = { platform, name, address: typed, ...(whereKey === undefined ? {} : { key }) };
    const { consent_url: url } = await call('beginChannelLink', { body });
    if (url === undefined) onLinked();
    else globalThis.location.assign(url);
  };
  return (
    <Form form={form} submit={begin} label={whereKey === undefined ? 'Go to the shop and allow it' : 'Connect it'}>
      <TextInput
        label="Name"
        description="What you call the shop."
        placeholder="Fern and Thread"
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Address of the shop"
        description={
          whereKey === undefined
            ? `Where your ${PLATFORMS[platform]} shop is. Sign in there as an administrator and allow it.`
            : `Where the server of your ${PLATFORMS[platform]} shop is, with https.`
        }
        placeholder={EXAMPLES[platform]}
        required
        maxLength={500}
        {...form.getInputProps('address')}
      />
      {whereKey === undefined ? null : (
        <PasswordInput
          label="Secret key"
          description={whereKey}
          required
          maxLength={500}
          autoComplete="off"
          {...form.getInputProps('key')}
        />
      )}
    </Form>
  );
}

/** Whether a shop is linked by a key that its people copy, rather than by their consent. */
export function isLinkedByKey({ platform }: Shop): boolean {
  const known = PLATFORM_NAMES.find((one) => one === platform);
  return known !== undefined && KEYS[known] !== undefined;
}

/** The form that gives a linked shop another key. */
export function RenewByKey({ shop: { id, name, platform, link }, onRenewed }: { shop: Shop; onRenewed: () => void }) {
  const form = useForm({ initialValues: { key: '' } });
  const known = PLATFORM_NAMES.find((one) => one === platform);
  if (known === undefined || link === null) return null;
  const renew = async ({ key }: typeof form.values): Promise<void> => {
    await call('beginChannelLink', { body: { platform: known, name, address: link.address, channel: id, key } });
    onRenewed();
  };
  return (
    <Form form={form} submit={renew} label="Take this key">
      <PasswordInput
        label="Secret key"
        description={KEYS[known]}
        required
        maxLength={500}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('key')}
      />
    </Form>
  );
}

/** Leads to the page on which a linked shop lets us in again. */
export async function renewAccess({ id, name, platform, link }: Shop): Promise<void> {
  const known = PLATFORM_NAMES.find((one) => one === platform);
  if (known === undefined || link === null) return;
  const body = { platform: known, name, address: link.address, channel: id };
  const { consent_url: url } = await call('beginChannelLink', { body });
  if (url !== undefined) globalThis.location.assign(url);
}

/** The shop of Shopify that the app was just installed in, as the address of the page has it. */
export function useInstalled(): string | undefined {
  const name = new URLSearchParams(useSearch()).get('install') ?? '';
  return /^[a-z0-9][a-z0-9-]*$/.test(name) ? name : undefined;
}

/** Says what came of the consent that a shop was asked for, once: its page leads back here with it. */
export function useConsentAnswer(): void {
  const search = useSearch();
  const [, navigate] = useLocation();
  const answer = new URLSearchParams(search).get('success');
  useEffect(() => {
    if (answer === null) return;
    notifyOf(
      answer === '1'
        ? 'The shop allows it. Its orders are read from now on.'
        : 'The shop did not allow it, and nothing is connected.',
    );
    navigate('/shops', { replace: true });
  }, [answer, navigate]);
}
