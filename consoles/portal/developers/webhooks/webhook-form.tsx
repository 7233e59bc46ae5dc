import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Form } from '../../../shared/form/form.tsx';
import { EVENT_NAMES, EVENT_WORDS } from '../events.ts';

export type WebhookValues = { url: string; description: string; events: string[] };

/** The form of a subscription, new or not. */
export function WebhookForm({
  initial,
  label,
  submit,
}: {
  initial: WebhookValues;
  label: string;
  submit: (values: WebhookValues) => Promise<void>;
}) {
  const form = useForm<WebhookValues & Record<string, unknown>>({ initialValues: initial });
  const { events } = form.values;
  return (
    <Form form={form} submit={submit} label={label}>
      <TextInput
        label="Address"
        description="Where events are posted to: https, and public."
        placeholder="https://shop.example/webhooks"
        type="url"
        required
        data-autofocus
        {...form.getInputProps('url')}
      />
      <TextInput
        label="Description"
        description="A label of your own."
        maxLength={200}
        {...form.getInputProps('description')}
      />
      <Checkbox.Group
        label="Events"
        description="None chosen means every event, and those that come with later versions."
        value={events}
        error={typeof form.errors.events === 'string' ? form.errors.events : undefined}
        onChange={(chosen) => form.setFieldValue('events', chosen)}
      >
        <Stack gap={8} mt={6}>
          {EVENT_NAMES.map((name) => (
            <Checkbox key={name} size="sm" value={name} label={name} description={EVENT_WORDS[name]} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Form>
  );
}
