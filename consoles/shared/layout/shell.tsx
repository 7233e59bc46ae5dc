import {
  ActionIcon,
  AppShell,
  Burger,
  Group,
  Menu,
  NavLink,
  Text,
  TextInput,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconCommand,
  IconLogout,
  IconMoon,
  IconSearch,
  IconSun,
  IconSunMoon,
  IconUserCircle,
} from '@tabler/icons-react';
import { type ComponentType, type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { openPalette } from '../commands/commands.tsx';
import { useCommands } from '../commands/registry.ts';
import { useSession } from '../session/session.tsx';
import { Offline } from '../states/answer.tsx';

/** A page of the navigation. */
export type Destination = {
  readonly path: string;
  readonly label: string;
  readonly icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
  /** After `g`. */
  readonly key: string;
};

/** What stands around every page: navigation, search, account. */
export function Shell({
  name,
  destinations,
  search,
  children,
}: {
  /** Of the console. */
  name: string;
  destinations: readonly Destination[];
  search: { readonly label: string; readonly find: (text: string) => void };
  children: ReactNode;
}) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [location, navigate] = useLocation();
  useCommands(
    destinations.map(({ path, label, key }) => ({
      id: `go-${path}`,
      label: `Go to ${label}`,
      group: 'Pages',
      keys: `g ${key}`,
      run: () => navigate(path),
    })),
  );
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="platen-skip" href="#content">
        Skip to the content
      </a>
      <AppShell.Header className="platen-header">
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
          <Text fw={700} size="lg" className="platen-brand">
            Platen
          </Text>
          <Text c="dimmed" size="sm" visibleFrom="sm">
            {name}
          </Text>
          <Search {...search} />
          <ActionIcon variant="default" size="lg" aria-label="All commands (Ctrl K)" onClick={openPalette}>
            <IconCommand size={18} aria-hidden />
          </ActionIcon>
          <AccountMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" className="platen-navbar" aria-label="Pages">
        {destinations.map(({ path, label, icon: Icon }) => (
          <NavLink
            key={path}
            component={Link}
            href={path}
            label={label}
            leftSection={<Icon size={18} aria-hidden />}
            active={isUnder(location, path)}
            aria-current={isUnder(location, path) ? 'page' : undefined}
            onClick={close}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <div className="platen-main">
          <WhenOffline />
          {children}
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

function isUnder(location: string, path: string): boolean {
  return path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`);
}

function Search({ label, find }: { label: string; find: (text: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  useCommands([{ id: 'search', label, group: 'Everywhere', keys: '/', run: () => field.current?.focus() }]);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? '';
    if (text !== '') find(text);
  };
  return (
    <search className="platen-search">
      <form onSubmit={send}>
        <TextInput
          ref={field}
          type="search"
          placeholder={label}
          aria-label={label}
          leftSection={<IconSearch size={16} aria-hidden />}
        />
      </form>
    </search>
  );
}

function AccountMenu() {
  const { session, signOut } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  useCommands([
    { id: 'light', label: 'Light colours', group: 'Appearance', run: () => setColorScheme('light') },
    { id: 'dark', label: 'Dark colours', group: 'Appearance', run: () => setColorScheme('dark') },
    { id: 'auto', label: 'Colours as the system has them', group: 'Appearance', run: () => setColorScheme('auto') },
    { id: 'sign-out', label: 'Sign out', group: 'Account', run: signOut },
  ]);
  const schemes = [
    { scheme: 'light', label: 'Light', Icon: IconSun },
    { scheme: 'dark', label: 'Dark', Icon: IconMoon },
    { scheme: 'auto', label: 'As the system', Icon: IconSunMoon },
  ] as const;
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton className="platen-account" aria-label={`Account: ${session.account.name}`}>
          <IconUserCircle size={22} aria-hidden />
          <Text size="sm" visibleFrom="sm" truncate maw={160}>
            {session.account.name}
          </Text>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className="platen-who">
          <Text size="sm" fw={600}>
            {session.user.name === '' ? session.user.email : session.user.name}
          </Text>
          <Text size="xs" c="dimmed">
            {session.user.email} · {session.user.role}
          </Text>
        </div>
        <Menu.Divider />
        {schemes.map(({ scheme, label, Icon }) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={colorScheme === scheme ? <Text size="xs">chosen</Text> : null}
            onClick={() => setColorScheme(scheme)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function WhenOffline() {
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const read = (): void => setOnline(navigator.onLine);
    window.addEventListener('online', read);
    window.addEventListener('offline', read);
    return () => {
      window.removeEventListener('online', read);
      window.removeEventListener('offline', read);
    };
  }, []);
  return isOnline ? null : <Offline />;
}
