import { Checkbox, Modal, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { call } from '../api/client.ts';
import { Form } from '../form/form.tsx';
import type { SavedView, ViewPage, ViewState } from './view-state.ts';

const NAME_MAX = 60;

/** The dialog that names a view and says whose it is: a new one of the list as it is, or one that is there. */
export function ViewForm({
  asked,
  page,
  state,
  mayShare,
  onSaved,
  onClose,
}: {
  asked: { readonly kind: string; readonly view?: SavedView } | undefined;
  page: ViewPage;
  state: ViewState;
  mayShare: boolean;
  onSaved: (view: SavedView, isNew: boolean) => Promise<void>;
  onClose: () => void;
}) {
  const view = asked?.view;
  const save = async (values: { name: string; is_for_all: boolean }): Promise<void> => {
    const saved =
      view === undefined
        ? await call('saveView', { body: { page, filters: state.filters, columns: [...state.columns], ...values } })
        : await call('changeSavedView', { path: { id: view.id }, body: values });
    await onSaved(saved, view === undefined);
    onClose();
  };
  return (
    <Modal
      opened={asked !== undefined}
      onClose={onClose}
      title={view === undefined ? 'Save this list as a view' : view.name}
      size="md"
    >
      {asked === undefined ? null : <Fields view={view} mayShare={mayShare} save={save} />}
    </Modal>
  );
}

function Fields({
  view,
  mayShare,
  save,
}: {
  view: SavedView | undefined;
  mayShare: boolean;
  save: (values: { name: string; is_for_all: boolean }) => Promise<void>;
}) {
  const form = useForm({ initialValues: { name: view?.name ?? '', is_for_all: view?.is_for_all ?? false } });
  return (
    <Form form={form} submit={save} label={view === undefined ? 'Save the view' : 'Save'}>
      {view === undefined ? (
        <Text size="sm">It keeps what the list is narrowed to, and the columns that you have chosen.</Text>
      ) : null}
      <TextInput
        label="Name"
        data-autofocus
        required
        maxLength={NAME_MAX}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      {mayShare ? (
        <Checkbox
          label="For all of the account"
          description={
            view?.is_for_all === true
              ? 'Without it the view is yours alone, and others have it no more.'
              : 'Everyone of the account has it; owners and managers change it.'
          }
          {...form.getInputProps('is_for_all', { type: 'checkbox' })}
        />
      ) : (
        <Text size="sm" c="dimmed">
          You alone have it. Owners and managers save views for all.
        </Text>
      )}
    </Form>
  );
}
