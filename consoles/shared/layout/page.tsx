import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

/** Where the last page was: one that is drawn anew there, such as once its data has come, leaves the focus alone. */
let lastPath: string | undefined;

/** A page: its title, what can be done on it, and its content. A new page takes the focus, so none is lost. */
export function Page({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Platen`;
  }, [title]);
  useEffect(() => {
    const { pathname } = location;
    if (lastPath !== undefined && lastPath !== pathname) heading.current?.focus({ preventScroll: true });
    lastPath = pathname;
  }, []);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="center" gap="sm" mih={36}>
        <Title order={1} ref={heading} tabIndex={-1} className="platen-title">
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Stack>
  );
}
