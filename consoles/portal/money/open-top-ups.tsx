import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { serviceNowMs } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Failure } from '../../shared/states/failure.tsx';
import { Ago } from '../../shared/values/ago.tsx';
import { Money } from '../../shared/values/money.tsx';
import { GoOn } from './go-on.tsx';
import { isPayable, type TopUp, TopUpState } from './top-up-state.tsx';

/** As many as can be open at once, and more; all of them are in the list. */
const LOOKED = 25;
/** How long one that came to nothing is still worth a line here. */
const LATELY_MS = 24 * 3_600_000;

/** The top-ups that are open, or have come to nothing lately, each with what can be done. */
export function OpenTopUps() {
  const query = useQuery(reading('listTopUps', { query: { limit: LOOKED } }));
  const shown = (query.data?.data ?? []).filter(needsALook);
  if (query.data === undefined && query.error !== null) {
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (shown.length === 0) return null;
  return (
    <section aria-label="Top-ups that are open or came to nothing lately">
      <div className="platen-lines">
        {shown.map((topUp) => (
          <div key={topUp.id} className="platen-line">
            <div className="platen-line-text">
              <Text size="sm" fw={600}>
                <Money amount={topUp.amount} currency={topUp.currency} />, begun <Ago at={topUp.created_at} />
              </Text>
              <Text size="sm" c="dimmed" component="div">
                <TopUpState topUp={topUp} />
              </Text>
            </div>
            {isPayable(topUp) ? <GoOn topUp={topUp} /> : null}
          </div>
        ))}
      </div>
      <Text size="sm" className="platen-panel-body">
        <Link href="/money?view=top-ups">All top-ups by card</Link>
      </Text>
    </section>
  );
}

function needsALook({ state, settled_at: at }: TopUp): boolean {
  if (state === 'paid') return false;
  return state === 'open' || (at !== null && serviceNowMs() - Date.parse(at) < LATELY_MS);
}
