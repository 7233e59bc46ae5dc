import { Text } from '@mantine/core';
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { reading } from '../../shared/api/queries.ts';
import { Panel } from '../../shared/layout/panel.tsx';

type Done = Readonly<Record<'company' | 'product' | 'balance' | 'order' | 'factor', boolean>>;

/**
 * From nothing to the first order, in the order in which it is done. A step has a `path` where the portal has a page for
 * it; the others are done over the API, or by the print shop.
 */
const STEPS: readonly {
  readonly key: keyof Done;
  readonly title: string;
  readonly why: string;
  readonly path: string;
}[] = [
  {
    key: 'company',
    title: 'Enter your company',
    why: 'Invoices are addressed to it.',
    path: '/company',
  },
  {
    key: 'factor',
    title: 'Protect your sign-in',
    why: 'With a code from an app the password alone lets no one in.',
    path: '/security',
  },
  {
    key: 'product',
    title: 'Make your first product',
    why: 'A blank garment with your artwork on it, in the colours and sizes that you sell.',
    path: '/products/new',
  },
  {
    key: 'balance',
    title: 'Have money on your balance',
    why: 'Orders are paid from it first. How it is topped up stands there.',
    path: '/money',
  },
  {
    key: 'order',
    title: 'Place your first order',
    why: 'By the form here, a file, or POST /api/v1/orders.',
    path: '/new-order',
  },
];

/** What is to be done before the first order, for an account that has placed none; otherwise nothing. */
export function FirstSteps({ hasBalance }: { hasBalance: boolean }) {
  const orders = useQuery(reading('listOrders', { query: { limit: 1 } }));
  const isEmpty = orders.data?.data.length === 0;
  const company = useQuery({ ...reading('getCompany', {}), enabled: isEmpty });
  const products = useQuery({ ...reading('listProducts', { query: { limit: 1 } }), enabled: isEmpty });
  const factor = useQuery({ ...reading('getSecondFactor', {}), enabled: isEmpty });
  if (company.data === undefined || products.data === undefined || factor.data === undefined) return null;
  const done: Done = {
    company: company.data.billing !== null,
    factor: factor.data.is_on,
    product: products.data.data.length > 0,
    balance: hasBalance,
    order: false,
  };
  return (
    <Panel title="First steps">
      <ol className="platen-lines platen-steps">
        {STEPS.map(({ key, title, why, path }) => (
          <li key={key} className="platen-line">
            {done[key] ? <IconCircleCheck size={22} aria-hidden /> : <IconCircle size={22} aria-hidden />}
            <div className="platen-line-text">
              <Text size="sm" fw={600}>
                {done[key] ? (
                  title
                ) : (
                  <Link href={path} className="platen-link">
                    {title}
                  </Link>
                )}
                {done[key] ? ' (done)' : ''}
              </Text>
              <Text size="sm" c="dimmed">
                {why}
              </Text>
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
