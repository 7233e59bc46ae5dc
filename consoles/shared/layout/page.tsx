import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

let isFirstPage = true;

/** A page: its title, what can be done on it, and its content. A new page takes the focus, so none is lost. */
export function Page({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Platen`;
  }, [title]);
  useEffect(() => {
    if (!isFirstPage) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
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
