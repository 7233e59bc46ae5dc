import { Alert, Button, CopyButton, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlugConnectedX } from '@tabler/icons-react';
import { NoAnswer, PageRefused, Refused } from '../api/failures.ts';

/** Why something did not work, in the service's words, with the request id to copy for support. */
export function Failure({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const isLost = error instanceof NoAnswer;
  const problem = error instanceof Refused ? error.problem : undefined;
  const said = problem ?? (error instanceof PageRefused ? error : undefined);
  const requestId = problem?.requestId;
  return (
    <Alert
      role="alert"
      variant="outline"
      className="platen-failure"
      icon={isLost ? <IconPlugConnectedX aria-hidden /> : <IconAlertTriangle aria-hidden />}
      title={isLost ? 'No connection' : (said?.title ?? 'This page has failed')}
    >
      <Text size="sm">
        {isLost || said !== undefined ? error.message : 'Load the page again. If it stays, tell us.'}
      </Text>
      <Group gap="xs" mt="xs">
        {onRetry === undefined ? null : (
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        {requestId === undefined ? null : (
          <CopyButton value={requestId}>
            {({ copied, copy }) => (
              <Button size="compact-sm" variant="subtle" onClick={copy}>
                {copied ? 'Copied' : `Copy request id ${requestId}`}
              </Button>
            )}
          </CopyButton>
        )}
      </Group>
    </Alert>
  );
}
