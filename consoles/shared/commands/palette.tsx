import { Group, Kbd, Modal, Stack, Switch, Text, Title } from '@mantine/core';
import { Spotlight, spotlight } from '@mantine/spotlight';
import { useEffect, useState } from 'react';
import { allCommands, areSingleKeysOn, type Command, runByKey, setSingleKeys, useCommands } from './registry.ts';

/** The palette of all commands (Ctrl-K), the list of keys (`?`), and the listener for both. */
export function Commands() {
  const [shown, setShown] = useState<readonly Command[]>([]);
  const [areKeysShown, setKeysShown] = useState(false);
  useEffect(() => {
    document.addEventListener('keydown', runByKey);
    return () => document.removeEventListener('keydown', runByKey);
  }, []);
  useCommands([
    { id: 'palette', label: 'All commands', group: 'Everywhere', keys: 'mod+k', isKeyOnly: true, run: openPalette },
    {
      id: 'keys',
      label: 'Show the keys',
      group: 'Everywhere',
      keys: '?',
      run: () => {
        setShown(allCommands());
        setKeysShown(true);
      },
    },
  ]);
  return (
    <>
      <Spotlight
        shortcut={null}
        scrollable
        maxHeight={420}
        nothingFound="No command of this page has these words."
        searchProps={{ placeholder: 'What do you want to do?', 'aria-label': 'Search commands' }}
        onSpotlightOpen={() => setShown(allCommands())}
        transitionProps={{ duration: 0 }}
        actions={groupsOf(shown.filter(({ isKeyOnly }) => isKeyOnly !== true)).map(({ group, commands }) => ({
          group,
          actions: commands.map(({ id, label, keys, run }) => ({
            id,
            label,
            onClick: run,
            ...(keys === undefined ? {} : { rightSection: <Keys keys={keys} /> }),
          })),
        }))}
      />
      <Modal opened={areKeysShown} onClose={() => setKeysShown(false)} title="Keys" size="md">
        <Stack gap="md">
          {groupsOf(shown.filter(({ keys }) => keys !== undefined)).map(({ group, commands }) => (
            <section key={group}>
              <Title order={3} size="sm" mb={6}>
                {group}
              </Title>
              {commands.map(({ id, label, keys = '' }) => (
                <Group key={id} justify="space-between" py={3}>
                  <Text size="sm">{label}</Text>
                  <Keys keys={keys} />
                </Group>
              ))}
            </section>
          ))}
          <SingleKeys />
        </Stack>
      </Modal>
    </>
  );
}

/** Opens the palette. */
export function openPalette(): void {
  spotlight.open();
}

function SingleKeys() {
  const [isOn, setOn] = useState(areSingleKeysOn);
  return (
    <Switch
      label="Single letters are commands"
      checked={isOn}
      onChange={({ currentTarget }) => {
        setSingleKeys(currentTarget.checked);
        setOn(currentTarget.checked);
      }}
    />
  );
}

const CONTROL = navigator.userAgent.includes('Mac') ? '⌘' : 'Ctrl';

function Keys({ keys }: { keys: string }) {
  const parts = keys.includes(' ') ? keys.split(' ') : keys.replace('mod', CONTROL).split('+');
  return (
    <span className="platen-keys">
      {parts.map((part) => (
        <Kbd key={part}>{part.length === 1 && keys.includes('mod') ? part.toUpperCase() : part}</Kbd>
      ))}
    </span>
  );
}

function groupsOf(commands: readonly Command[]): { group: string; commands: Command[] }[] {
  return [...Map.groupBy(commands, ({ group }) => group)].map(([group, ofGroup]) => ({ group, commands: ofGroup }));
}
