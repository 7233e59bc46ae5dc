import { Text } from '@mantine/core';
import { Link } from 'wouter';
import { Moment } from '../../shared/values/moment.tsx';
import { Money } from '../../shared/values/money.tsx';
import { GoOn } from './go-on.tsx';
import { isPayable, type TopUp, TopUpState } from './top-up-state.tsx';

/** The top-ups that are open, or have come to nothing lately, each with what can be done. */
export function OpenTopUps({ topUps }: { topUps: readonly TopUp[] }) {
  if (topUps.length === 0) return null;
  return (
    <section aria-label="Top-ups that are open or came to nothing lately">
      <div className="platen-lines">
        {topUps.map((topUp) => (
          <div key={topUp.id} className="platen-line">
            <div className="platen-line-text">
              <Text size="sm" fw={600}>
                <Money amount={topUp.amount} currency={topUp.currency} />, begun <Moment at={topUp.created_at} />
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
