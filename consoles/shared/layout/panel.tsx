import { Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A part of a page with a title of its own. */
export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="platen-panel">
      <header>
        <Title order={2}>{title}</Title>
        {aside}
      </header>
      {children}
    </section>
  );
}
