import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import type { Secret } from '../../shared/dialog/shown-once.tsx';
import { Form } from '../../shared/form/form.tsx';
import { TextBlock } from '../../shared/values/text-block.tsx';
import { type LinkedPlatform, LinkForm, PLATFORM_NAMES, PLATFORMS } from './link.tsx';

type Connected = Reply<'connectChannel'>;

const SIGNED = 'signed';

/** The form that connects a shop, by what it runs on. */
export function Connect({
  installed,
  onConnected,
  onLinked,
}: {
  /** The shop of Shopify that the app is just installed in. */
  installed: string | undefined;
  onConnected: (connected: Connected) => void;
  onLinked: () => void;
}) {
  const [kind, setKind] = useState<LinkedPlatform | typeof SIGNED>(installed === undefined ? 'woocommerce' : 'shopify');
  return (
    <>
      <NativeSelect
        label="What the shop runs on"
        mb="sm"
        value={kind}
        data={[
          ...Object.entries(PLATFORMS).map(([value, label]) => ({ value, label })),
          { value: SIGNED, label: 'Anything else: it sends its orders itself' },
        ]}
        onChange={({ currentTarget: { value } }) =>
          setKind(PLATFORM_NAMES.find((platform) => platform === value) ?? SIGNED)
        }
      />
      {kind === SIGNED ? (
        <SignedForm onConnected={onConnected} />
      ) : (
        <LinkForm
          key={kind}
          platform={kind}
          installed={kind === 'shopify' ? installed : undefined}
          onLinked={onLinked}
        />
      )}
    </>
  );
}

function SignedForm({ onConnected }: { onConnected: (connected: Connected) => void }) {
  const form = useForm({ initialValues: { name: '' } });
  const connect = async ({ name }: typeof form.values): Promise<void> =>
    onConnected(await call('connectChannel', { body: { name } }));
  return (
    <Form form={form} submit={connect} label="Connect it">
      <TextInput
        label="Name"
        description="What you call the shop. You are shown next what it signs its orders with."
        placeholder="Fern and Thread"
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
    </Form>
  );
}

/** What a shop needs to send its orders: shown once, with how a request is signed. */
export function secretOf({ channel, secret }: Connected, isNew: boolean): Secret {
  return {
    title: isNew ? `${channel.name} is connected` : `The new secret of ${channel.name}`,
    text: secret,
    note: isNew
      ? 'The shop signs each order with this secret. Keep it on the server of the shop, never in a page or an app.'
      : 'Put it on the server of the shop within 24 hours. Until then the one before is taken, too.',
    more: (
      <>
        <Text size="sm" mb={6}>
          It posts its orders to this address:
        </Text>
        <TextBlock text={channel.orders_url} label="The address for its orders" />
        <Text size="sm" mt="md" mb={6} component="div">
          A request is signed by Standard Webhooks, over the exact bytes of its body. With a shell:
        </Text>
        <TextBlock text={signingOf(channel.orders_url)} label="How a request is signed" />
        <Text size="sm" my="md" component="div">
          <a href="/docs/channels" target="_blank" rel="noreferrer" className="platen-link">
            What an order looks like, and the same in JavaScript
          </a>
        </Text>
      </>
    ),
  };
}

/** The file `order.json` as it is, signed and sent. */
function signingOf(url: string): string {
  return [
    `SHOP_SECRET='whsec_…'   # the secret above`,
    'id=$(openssl rand -hex 16)',
    'timestamp=$(date +%s)',
    `key=$(printf %s "\${SHOP_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')`,
    `signature=$({ printf %s "$id.$timestamp."; cat order.json; } |`,
    '  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)',
    `curl --fail-with-body '${url}' -H 'content-type: application/json' \\`,
    '  -H "webhook-id: $id" -H "webhook-timestamp: $timestamp" \\',
    '  -H "webhook-signature: v1,$signature" --data-binary @order.json',
  ].join('\n');
}
