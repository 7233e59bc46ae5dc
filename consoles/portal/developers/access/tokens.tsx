import { Button, Modal, NativeSelect, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, download, type Reply, serviceNowMs } from '../../../shared/api/client.ts';
import { reading } from '../../../shared/api/queries.ts';
import { useCommands } from '../../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../../shared/dialog/confirm.tsx';
import { type Secret, ShownOnce } from '../../../shared/dialog/shown-once.tsx';
import { Form } from '../../../shared/form/form.tsx';
import { Panel } from '../../../shared/layout/panel.tsx';
import { Answer, Empty } from '../../../shared/states/answer.tsx';
import { useAddressState } from '../../../shared/table/address.ts';
import { SaveCsv } from '../../../shared/table/save-csv.tsx';
import { Pages } from '../../../shared/table/table.tsx';
import { Moment } from '../../../shared/values/moment.tsx';
import { Corner } from '../corner.tsx';
import { type Scope, ScopesField } from './scopes.tsx';

type Token = Reply<'listOwnTokens'>['data'][number];

/** The personal tokens of the account: what each may do, whether it is used, and their end. */
export function TokensPage() {
  const { get } = useAddressState();
  const query = useQuery(reading('listOwnTokens', { query: { cursor: get('cursor') } }));
  const [isMinting, setMinting] = useState(false);
  const [secret, setSecret] = useState<Secret>();
  const [question, setQuestion] = useState<Question>();
  const askToRevoke = (token: Token): void =>
    setQuestion({
      title: `Revoke ${nameOf(token)}?`,
      label: 'Revoke it',
      act: async () => {
        await call('revokeOwnToken', { path: { id: token.id } });
        await query.refetch();
      },
    });
  useCommands([
    { id: 'mint', label: 'Make a token', group: 'Tokens', keys: 'c', run: () => setMinting(true) },
    ...(query.data?.data ?? [])
      .filter((token) => stateOf(token) === 'valid')
      .map((token) => ({
        id: `revoke-${token.id}`,
        label: `Revoke ${nameOf(token)}`,
        group: 'Tokens',
        run: () => askToRevoke(token),
      })),
  ]);
  return (
    <Corner title="Tokens" aside={<Button onClick={() => setMinting(true)}>Make a token</Button>}>
      <Panel
        title="Tokens of your programs"
        aside={
          <SaveCsv
            group="Tokens"
            save={() => download('listOwnTokens', {}, { mediaType: 'text/csv', name: 'tokens.csv' })}
          />
        }
      >
        <Answer query={query}>
          {({ data, next_cursor: nextCursor }) =>
            data.length === 0 ? (
              <Empty title="There is no token yet.">A program signs in with one. Make one for each program.</Empty>
            ) : (
              <>
                <div className="platen-lines">
                  {data.map((token) => (
                    <Line key={token.id} token={token} onRevoke={() => askToRevoke(token)} />
                  ))}
                </div>
                <Pages label="Tokens" nextCursor={nextCursor} />
              </>
            )
          }
        </Answer>
      </Panel>
      <Modal opened={isMinting} onClose={() => setMinting(false)} title="Make a token">
        <Mint
          onMinted={(minted) => {
            setMinting(false);
            setSecret({
              title: `The token of ${minted.name}`,
              text: minted.token,
              note: 'Keep it where your program keeps its secrets. Whoever has it can act for your account.',
            });
            void query.refetch();
          }}
        />
      </Modal>
      <ShownOnce secret={secret} onClose={() => setSecret(undefined)} />
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">Programs that use it are refused within two seconds. It cannot be brought back.</Text>
      </Confirm>
    </Corner>
  );
}

function Line({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const state = stateOf(token);
  return (
    <div className="platen-line">
      <div className="platen-line-text">
        <Text fw={600} size="sm" component="div">
          {nameOf(token)}{' '}
          {state === 'valid' ? null : (
            <span className="platen-status" data-tone="still">
              {state === 'revoked' ? 'Revoked' : 'Expired'}
            </span>
          )}
        </Text>
        <Text size="sm">{token.scopes.join(', ')}</Text>
        <Text size="sm" c="dimmed" component="div">
          Made <Moment at={token.created_at} /> ·{' '}
          {token.last_used_at === null ? (
            'never used'
          ) : (
            <>
              last used <Moment at={token.last_used_at} />
            </>
          )}{' '}
          ·{' '}
          {token.expires_at === null ? (
            'does not expire'
          ) : (
            <>
              {state === 'expired' ? 'expired' : 'expires'} <Moment at={token.expires_at} />
            </>
          )}{' '}
          · <span className="platen-number">{token.id}</span>
        </Text>
      </div>
      {state === 'valid' ? (
        <Button variant="default" onClick={onRevoke} aria-label={`Revoke ${nameOf(token)}`}>
          Revoke
        </Button>
      ) : null}
    </div>
  );
}

function nameOf({ name }: Token): string {
  return name === '' ? 'A token without a name' : name;
}

function stateOf({ revoked_at: revokedAt, expires_at: expiresAt }: Token): 'valid' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= serviceNowMs() ? 'expired' : 'valid';
}

const LASTS = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: '', label: 'Until it is revoked' },
];

function Mint({ onMinted }: { onMinted: (minted: Reply<'mintOwnToken'>) => void }) {
  const form = useForm<{ name: string; scopes: Scope[]; days: string }>({
    initialValues: { name: '', scopes: ['orders:read', 'products:read'], days: '365' },
  });
  const mint = async ({ name, scopes, days }: typeof form.values): Promise<void> => {
    const body = { name, scopes, ...(days === '' ? {} : { valid_days: Number(days) }) };
    onMinted(await call('mintOwnToken', { body }));
  };
  return (
    <Form form={form} submit={mint} label="Make it">
      <TextInput
        label="Name"
        description="Which program it is for."
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <ScopesField
        label="What it may do"
        value={form.values.scopes}
        error={typeof form.errors.scopes === 'string' ? form.errors.scopes : undefined}
        onChange={(scopes) => form.setFieldValue('scopes', scopes)}
      />
      <NativeSelect label="How long it is valid" data={LASTS} {...form.getInputProps('days')} />
    </Form>
  );
}
