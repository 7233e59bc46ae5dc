import { Group, Kbd, Modal, Stack, Switch, Text, Title } from '@mantine/core';
import { Spotlight, spotlight } from '@mantine/spotlight';
import { useEffect, useState } from 'react';
import type { Asked } from './commands.tsx';
import { areSingleKeysOn, type Command, setSingleKeys } from './registry.ts';

/** The palette gives the focus back some milliseconds after it closes: a command that takes it comes after that. */
const FOCUS_BACK_MS = 50;

/** The palette of all commands, or the list of keys, as was asked for last. */
export default function Palette({ asked }: { asked: Asked }) {
  const [areKeysShown, setKeysShown] = useState(false);
  useEffect(() => {
    if (asked.what === 'palette') spotlight.open();
    else setKeysShown(true);
  }, [asked]);
  const { commands: shown } = asked;
  return (
    <>
      <Spotlight
        shortcut={null}
        scrollable
        maxHeight={420}
        nothingFound="No command of this page has these words."
        searchProps={{ placeholder: 'What do you want to do?', 'aria-label': 'Search commands' }}
        transitionProps={{ duration: 0 }}
        closeOnClickOutside
        actions={groupsOf(shown.filter(({ isKeyOnly }) => isKeyOnly !== true)).map(({ group, commands }) => ({
          group,
          actions: commands.map(({ id, label, keys, run }) => ({
            id,
            label,
            onClick: () => void setTimeout(run, FOCUS_BACK_MS),
            ...(keys === undefined ? {} : { rightSection: <Keys keys={keys} /> }),
          })),
        }))}
      />
      <Modal opened={areKeysShown} onClose={() => setKeysShown(false)} title="Keys" size="md" closeOnClickOutside>
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
