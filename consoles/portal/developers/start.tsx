import { Text } from '@mantine/core';
import { Link } from 'wouter';
import { Panel } from '../../shared/layout/panel.tsx';
import { TextBlock } from '../../shared/values/text-block.tsx';
import { Corner } from './corner.tsx';

/** The first call of a program, step by step. */
export function StartPage() {
  const { origin } = location;
  const curl = [
    `export PLATEN_TOKEN='…'   # the token that you have just made`,
    `curl --fail-with-body '${origin}/api/v1/orders?limit=1' \\`,
    `  -H "Authorization: Bearer $PLATEN_TOKEN"`,
  ].join('\n');
  const client = [
    `import { createClient } from 'platen-sdk';`,
    '',
    `const platen = createClient({ baseUrl: '${origin}', token: process.env.PLATEN_TOKEN ?? '' });`,
    '',
    'for await (const order of platen.orders.iterate()) {',
    '  console.log(order.reference, order.status);',
    '}',
  ].join('\n');
  return (
    <Corner title="Developers">
      <Panel title="1. A token for your program">
        <Text size="sm" className="platen-panel-body" component="div">
          <Link href="/developers/tokens">Make a token</Link> with the scopes that the program needs, and put it where
          the program keeps its secrets. There is no sandbox: what a token orders is made, and paid from your account.
          An owner or a manager makes it.
        </Text>
      </Panel>
      <Panel title="2. The first call">
        <div className="platen-panel-body">
          <Text size="sm" mb="sm">
            It answers with your newest order, or an empty list. A second later it stands under{' '}
            <Link href="/developers/requests">Requests</Link>.
          </Text>
          <TextBlock text={curl} label="The first call with curl" />
        </div>
      </Panel>
      <Panel title="3. The same in TypeScript">
        <div className="platen-panel-body">
          <Text size="sm" mb="sm">
            The typed client knows every operation, sends again what was lost without ordering twice, and verifies
            webhooks.
          </Text>
          <TextBlock text={client} label="The first call in TypeScript" />
        </div>
      </Panel>
      <Panel title="4. Hear what happens">
        <Text size="sm" className="platen-panel-body" component="div">
          <Link href="/developers/webhooks">Add a webhook</Link>, and your server is told of each event of your orders.
          What was lost is found there, and sent again. The <Link href="/developers/events">log of events</Link> has all
          of them, whether a webhook got them or not.
        </Text>
      </Panel>
      <Text size="sm">
        <a href="/docs">Every operation, with its examples and errors</a>
      </Text>
    </Corner>
  );
}
