import { lazy } from 'react';
import { Route, Switch } from 'wouter';
import { Empty } from '../../shared/states/answer.tsx';
import { Corner } from './corner.tsx';
import { StartPage } from './start.tsx';
import { DeliveryPage } from './webhooks/delivery.tsx';
import { WebhookPage } from './webhooks/webhook.tsx';
import { WebhooksPage } from './webhooks/webhooks.tsx';

// All pages together are more than one may load, and those of webhooks ask for so much that they have no request to
// spare for a file of theirs.
const AppsPage = lazy(async () => ({ default: (await import('./access/apps.tsx')).AppsPage }));
const TokensPage = lazy(async () => ({ default: (await import('./access/tokens.tsx')).TokensPage }));
const EventsPage = lazy(async () => ({ default: (await import('./log/events.tsx')).EventsPage }));
const RequestsPage = lazy(async () => ({ default: (await import('./log/requests.tsx')).RequestsPage }));

/** What developers of the account need: access, webhooks and their recovery, and what has happened. */
export function DevelopersPage() {
  return (
    <Switch>
      <Route path="/developers" component={StartPage} />
      <Route path="/developers/webhooks" component={WebhooksPage} />
      <Route path="/developers/webhooks/:id">{({ id }) => <WebhookPage key={id} id={id} />}</Route>
      <Route path="/developers/webhooks/:id/deliveries/:delivery">
        {({ id, delivery }) => <DeliveryPage key={delivery} id={id} delivery={delivery} />}
      </Route>
      <Route path="/developers/events" component={EventsPage} />
      <Route path="/developers/requests" component={RequestsPage} />
      <Route path="/developers/tokens" component={TokensPage} />
      <Route path="/developers/apps" component={AppsPage} />
      <Route>
        <Corner title="Not found">
          <Empty title="There is no page at this address." />
        </Corner>
      </Route>
    </Switch>
  );
}
