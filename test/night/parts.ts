import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Report } from './days.ts';

// What a night has besides its days and its soak: what runs by a command of its own, too.

/** How large the day of a connected shop is. */
export type ShopSize = { readonly orders: number; readonly kills: number };

type Part = {
  readonly is: string;
  readonly run: (size: ShopSize) => Promise<Report>;
};

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The parts of a night by their names, in the order in which they run. */
export const PARTS: Readonly<Record<string, Part>> = {
  shops: {
    is: 'a shop of WooCommerce that loses notices, doubles them and is away for hours, while the service is killed',
    run: (size) => badDayOf('faults/kill-linked-shops', size),
  },
  shopify: {
    is: 'the same day of a shop of Shopify, whose tokens expire in between and whose answers are lost',
    run: (size) => badDayOf('faults/kill-shopify', size),
  },
  earlier: {
    is: 'a shop with 5,000 orders of before is connected: none of them is placed',
    run: async () => {
      await runNode(['test/run.ts', 'channels/historic-orders'], { PLATEN_NIGHTLY: '1' });
      return { orders: 5_000, placed: 0 };
    },
  },
  medusa: {
    is: 'a real shop of Medusa from its packages: sold there, made here, reported there; npm run night:medusa',
    run: async () => {
      await runNode(['test/night/medusa.ts'], {});
      return { circles: 1 };
    },
  },
};

async function badDayOf(test: string, { orders, kills }: ShopSize): Promise<Report> {
  await runNode(['test/run.ts', test], {
    PLATEN_NIGHTLY: '1',
    PLATEN_TEST_SHOP_ORDERS: String(orders),
    PLATEN_TEST_KILLS: String(kills),
  });
  return { orders, kills: 2 * kills + Math.ceil(kills / 10), lost: 0, doubled: 0 };
}

/** Runs a script whose lines are shown as they come. Throws when it fails. */
async function runNode(args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } });
  const code = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status, signal) => resolve(status ?? signal ?? 'nothing'));
  });
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}; what failed stands above.`);
}
