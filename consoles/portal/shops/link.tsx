import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect } from 'react';
import { useLocation, useSearch } from 'wouter';
import { call, type Input } from '../../shared/api/client.ts';
import { Form } from '../../shared/form/form.tsx';
import type { Shop } from '../../shared/shops/words.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';

export type LinkedPlatform = NonNullable<Input<'beginChannelLink'>['body']>['platform'];

/** What people call a platform. */
export const PLATFORMS: Readonly<Record<LinkedPlatform, string>> = { woocommerce: 'WooCommerce' };

/** The platforms that can be linked. */
export const PLATFORM_NAMES: readonly LinkedPlatform[] = ['woocommerce'];

/** The form that links a shop of a platform: its people consent on a page of the shop, to which this leads. */
export function LinkForm({ platform }: { platform: LinkedPlatform }) {
  const form = useForm({ initialValues: { name: '', address: '' } });
  const begin = async ({ name, address }: typeof form.values): Promise<void> => {
    const { consent_url: url } = await call('beginChannelLink', { body: { platform, name, address } });
    globalThis.location.assign(url);
  };
  return (
    <Form form={form} submit={begin} label="Go to the shop and allow it">
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
        description={`Where your ${PLATFORMS[platform]} shop is. Sign in there as an administrator and allow it.`}
        placeholder="https://shop.example.com"
        required
        maxLength={500}
        {...form.getInputProps('address')}
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
  globalThis.location.assign(url);
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
