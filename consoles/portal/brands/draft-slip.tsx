import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { fetchFile, type Input } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { useSettled } from '../../shared/values/settled.ts';

type Draft = Input<'drawSlipOfDraft'>['body'];

const SETTLE_MS = 600;

const LABELS: Readonly<Record<string, string>> = {
  name: 'Name',
  message: 'Message to the buyer',
  support_email: 'Support email',
  website: 'Website',
  return_lines: 'Returns go to',
};

/** The packing slip with what is in the form, drawn once nothing was typed for a moment; nothing is saved by it. */
export function DraftSlip({ draft }: { draft: Draft }) {
  const text = useSettled(JSON.stringify(draft), SETTLE_MS);
  const { data, error, isFetching } = useQuery({
    queryKey: ['drawSlipOfDraft', text],
    queryFn: ({ signal }) =>
      fetchFile('drawSlipOfDraft', { body: JSON.parse(text) as Draft }, 'application/pdf', signal),
    enabled: draft.name.trim() !== '',
    gcTime: 0,
  });
  const url = useUrlOf(data);
  if (draft.name.trim() === '')
    return <Text size="sm">With a name, the slip can be looked at before it is saved.</Text>;
  return (
    <div role="status">
      {error !== null ? (
        <Text size="sm" c="red">
          The slip cannot be drawn: {wordsOf(error)}
        </Text>
      ) : url === undefined || isFetching ? (
        <Text size="sm">The slip is being drawn.</Text>
      ) : (
        <Text size="sm">
          <a className="platen-link" href={url} target="_blank" rel="noopener">
            See the slip with what is in the form, a PDF in a new tab
          </a>
          . A new logo is on it once it is saved.
        </Text>
      )}
    </div>
  );
}

/** An address for a file, as long as it is shown. */
function useUrlOf(file: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (file === undefined) return undefined;
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => {
      setUrl(undefined);
      URL.revokeObjectURL(made);
    };
  }, [file]);
  return url;
}

function wordsOf(error: Error): string {
  if (!(error instanceof Refused) || error.problem.errors.length === 0) return error.message;
  return error.problem.errors
    .map(({ path, message }) => `${LABELS[path.replace(/\[\d+\]$/, '')] ?? path} ${message}`)
    .join(' ');
}
