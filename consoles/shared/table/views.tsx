import { Button, Menu, Text } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { call } from '../api/client.ts';
import { reading } from '../api/queries.ts';
import { type Command, useCommands } from '../commands/registry.ts';
import { Confirm } from '../dialog/confirm.tsx';
import { notifyOf, notifyOfFailure } from '../states/notify.tsx';
import { ViewForm } from './view-form.tsx';
import { addressOfView, CHOSEN, isAsSaved, leftAddress, type SavedView, stateOf, type ViewPage } from './view-state.ts';
import { WITHIN } from './within.ts';

const GROUP = 'Views';
/** What is asked about a view: its name and whose it is, or whether it goes. */
type Asked = { readonly kind: 'save' } | { readonly kind: 'change' | 'remove'; readonly view: SavedView };

/** The menu of the saved views of a list, with what is done with them, and its commands. */
export function Views({ page }: { page: ViewPage }) {
  const [address, setAddress] = useSearchParams();
  const queries = useQueryClient();
  const query = useQuery(reading('listSavedViews', { query: { page } }));
  const [asked, setAsked] = useState<Asked>();
  const button = useRef<HTMLButtonElement>(null);
  // The entry of the menu is gone when the dialog gives the focus back: it goes to what stays.
  const ask = (next: Asked): void => {
    button.current?.focus();
    setAsked(next);
  };
  const views = query.data?.data ?? [];
  const chosen = views.find(({ id }) => id === address.get(CHOSEN));
  const isChanged = chosen !== undefined && !isAsSaved(chosen, address);
  const own = chosen?.may_change === true ? chosen : undefined;
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['listSavedViews'] });
  const choose = (view: SavedView): void => setAddress(addressOfView(view));
  const leave = (): void => setAddress(leftAddress(address));
  const saveInto = async (view: SavedView): Promise<void> => {
    await call('changeSavedView', { path: { id: view.id }, body: stateOfList(address) });
    await refresh();
    notifyOf(`Saved into ${view.name}.`);
  };
  const done = async (view: SavedView, isNew: boolean): Promise<void> => {
    await refresh();
    if (isNew) setAddress(addressOfView(view), { replace: true });
    notifyOf(isNew ? `Saved as ${view.name}.` : `Changed ${view.name}.`);
  };
  const remove = async ({ id, name }: SavedView): Promise<void> => {
    await call('removeSavedView', { path: { id } });
    await refresh();
    if (address.get(CHOSEN) === id) {
      const rest = new URLSearchParams(address);
      rest.delete(CHOSEN);
      setAddress(rest, { replace: true });
    }
    notifyOf(`Deleted ${name}.`);
  };
  const acts: readonly (Command & { readonly color?: string })[] = [
    { id: 'save', label: 'Save this list as a view', group: GROUP, run: () => ask({ kind: 'save' }) },
    ...(own !== undefined && isChanged
      ? [
          {
            id: 'save-into',
            label: `Save into: ${own.name}`,
            group: GROUP,
            run: () => void saveInto(own).catch(notifyOfFailure),
          },
        ]
      : []),
    ...(own === undefined
      ? []
      : [
          {
            id: 'change',
            label: `Name, and for whom: ${own.name}`,
            group: GROUP,
            run: () => ask({ kind: 'change', view: own }),
          },
          {
            id: 'remove',
            label: `Delete: ${own.name}`,
            group: GROUP,
            color: 'var(--mantine-color-error)',
            run: () => ask({ kind: 'remove', view: own }),
          },
        ]),
    ...(chosen === undefined ? [] : [{ id: 'leave', label: 'Leave the view', group: GROUP, run: leave }]),
  ];
  useCommands([
    ...views.map((view) => ({
      id: `view-${view.id}`,
      label: `Show the view: ${view.name}`,
      group: GROUP,
      run: () => choose(view),
    })),
    ...acts,
  ]);
  return (
    <>
      <Menu {...WITHIN} width={280} menuItemTabIndex={0}>
        <Menu.Target>
          <Button
            ref={button}
            size="compact-sm"
            variant="default"
            className="platen-view-button"
            aria-label={chosen === undefined ? 'Views' : `Views: ${chosen.name}${isChanged ? ', changed' : ''}`}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            {chosen === undefined ? 'Views' : `${chosen.name}${isChanged ? ' *' : ''}`}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <div className="platen-view-list">
            <Choices
              title="Your own"
              views={views.filter((view) => !view.is_for_all)}
              chosen={chosen}
              onChoose={choose}
            />
            <Choices
              title="For all"
              views={views.filter((view) => view.is_for_all)}
              chosen={chosen}
              onChoose={choose}
            />
            {views.length > 0 ? null : (
              <Text size="sm" c="dimmed" className="platen-who">
                {query.error === null ? 'No view of this list is saved yet.' : 'The saved views could not be read.'}
              </Text>
            )}
          </div>
          <Menu.Divider />
          {acts.map(({ id, label, color, run }) => (
            <Menu.Item key={id} {...(color === undefined ? {} : { c: color })} onClick={run}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ViewForm
        asked={asked === undefined || asked.kind === 'remove' ? undefined : asked}
        page={page}
        state={stateOf(address)}
        mayShare={query.data?.may_share === true}
        onSaved={done}
        onClose={() => setAsked(undefined)}
      />
      <Confirm
        question={
          asked?.kind === 'remove'
            ? {
                title: `Delete the view ${asked.view.name}?`,
                label: 'Delete the view',
                act: () => remove(asked.view),
              }
            : undefined
        }
        onClose={() => setAsked(undefined)}
      >
        <Text size="sm">
          {asked?.kind === 'remove' && asked.view.is_for_all ? 'Everyone of the account loses it. ' : ''}
          The list stays as it is, and addresses that were sent still work.
        </Text>
      </Confirm>
    </>
  );
}

function Choices({
  title,
  views,
  chosen,
  onChoose,
}: {
  title: string;
  views: readonly SavedView[];
  chosen: SavedView | undefined;
  onChoose: (view: SavedView) => void;
}) {
  if (views.length === 0) return null;
  return (
    <>
      <Menu.Label>{title}</Menu.Label>
      {views.map((view) => (
        <Menu.RadioItem
          key={view.id}
          value={view.id}
          checked={view.id === chosen?.id}
          closeMenuOnClick
          // One that is chosen already is shown again as it was saved.
          onClick={() => onChoose(view)}
        >
          {view.name}
        </Menu.RadioItem>
      ))}
    </>
  );
}

/** The state as the service takes it. */
function stateOfList(address: URLSearchParams): { filters: string; columns: string[] } {
  const { filters, columns } = stateOf(address);
  return { filters, columns: [...columns] };
}
