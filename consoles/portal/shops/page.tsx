import { Stack, Text } from '@mantine/core';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { Empty } from '../../shared/states/answer.tsx';

/** Shops whose orders come in by themselves: none can be connected yet, and the page says what works today. */
export function ShopsPage() {
  return (
    <Page title="Connected shops">
      <Stack gap="md">
        <Panel title="Shops">
          <Empty title="No shop is connected.">
            No kind of shop can be connected here yet. Once one can, it stands here, and its orders among yours.
          </Empty>
        </Panel>
        <Panel title="What works today">
          <ol className="platen-panel-body platen-ordered">
            <li>
              <Text size="sm">
                Let your shop, or who looks after it, place orders over the API: the{' '}
                <a href="/docs">documentation of the API</a> has every request with an example.
              </Text>
            </li>
            <li>
              <Text size="sm">
                Send the number that your shop gives an order as <code>external_reference</code>. The same number never
                makes a second order, so trying again is safe.
              </Text>
            </li>
            <li>
              <Text size="sm">
                Have tracking sent to your shop by a webhook, <code>order.shipment_created</code>, in place of asking
                for it.
              </Text>
            </li>
          </ol>
        </Panel>
      </Stack>
    </Page>
  );
}
