import { Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

/** A page for a person who has not come in yet: one panel in the middle, and what else there is below it. */
export function Entry({ title, below, children }: { title: string; below?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Platen`;
  }, [title]);
  return (
    <div className="platen-sign-in">
      <main className="platen-panel">
        <div className="platen-panel-body">
          <Title order={1} mb={4}>
            {title}
          </Title>
          {children}
          {below === undefined ? null : <div className="platen-entry-below">{below}</div>}
        </div>
      </main>
    </div>
  );
}
