import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconCloudOff } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Moment } from '../values/moment.tsx';
import { Failure } from './failure.tsx';

/**
 * Shows the answer of a query, and each other state as what it is: loading, refused, offline, or an answer that could
 * not be brought up to date.
 */
export function Answer<Value>({
  query,
  lines = 4,
  children,
}: {
  query: UseQueryResult<Value>;
  /** How many lines stand in for the answer while it loads. */
  lines?: number;
  children: (value: Value) => ReactNode;
}) {
  const retry = (): void => void query.refetch();
  if (query.data !== undefined) {
    return (
      <>
        {query.isRefetchError ? <Stale sinceMs={query.dataUpdatedAt} onRetry={retry} /> : null}
        {children(query.data)}
      </>
    );
  }
  if (query.error !== null) return <Failure error={query.error} onRetry={retry} />;
  if (query.fetchStatus === 'paused') return <Offline />;
  return (
    <Stack gap="xs" className="platen-late" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => index).map((line) => (
        <Skeleton key={line} height={20} width={line === lines - 1 ? '60%' : '100%'} />
      ))}
    </Stack>
  );
}

/** Says that the browser has no network. */
export function Offline() {
  return (
    <Group className="platen-note" role="status" gap="xs">
      <IconCloudOff size={18} aria-hidden />
      <Text size="sm">You are offline. This page goes on by itself once there is a connection.</Text>
    </Group>
  );
}

function Stale({ sinceMs, onRetry }: { sinceMs: number; onRetry: () => void }) {
  return (
    <Group className="platen-note" role="status" gap="xs" mb="sm">
      <IconCloudOff size={18} aria-hidden />
      <Text size="sm">
        As of <Moment at={new Date(sinceMs).toISOString()} />: it could not be brought up to date.
      </Text>
      <Button size="compact-sm" variant="subtle" onClick={onRetry}>
        Try again
      </Button>
    </Group>
  );
}

/** Says that there is nothing, and what would bring something. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="platen-empty">
      <Text fw={600}>{title}</Text>
      {children === undefined ? null : (
        <Text size="sm" c="dimmed" component="div">
          {children}
        </Text>
      )}
    </div>
  );
}
