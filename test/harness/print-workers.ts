import { artworkJobs } from '../../src/artwork/jobs.ts';
import { NORMALISE_JOB } from '../../src/artwork/sql.ts';
import type { Page } from '../../src/lib/paging.ts';
import { JobFault, startWorker } from '../../src/lib/queue.ts';
import { eventually } from './context.ts';
import type { Floor } from './floor.ts';
import type { TestService } from './service.ts';
import { servePicture, teeItem } from './shop.ts';
import { rows } from './written.ts';

// Print files that fail or are made when a test wants it, by workers of its own: its service runs with the role `api`.

export const NO_INK = 'The disk is full.';

export type TaskSeen = { id: string; order_id: string; kind: string; note: string };

type Handler = ReturnType<typeof artworkJobs>[number];

/** The print files of one service. */
export type PrintWorkers = {
  /** Has every print file that waits fail for good. */
  readonly failing: (reason?: string) => Promise<void>;
  /** Makes every print file that waits. */
  readonly working: () => Promise<void>;
  /** A line with artwork that no other order has. */
  readonly ownItem: (areas?: readonly string[]) => Promise<object>;
  /** The open tasks of an order about artwork that failed. */
  readonly tasksOf: (floor: Floor, order: { id: string }) => Promise<readonly TaskSeen[]>;
};

/** Leaves the print files of an order, which are made, as if they could not be: of a service with workers. */
export async function leaveFailed(service: TestService, { reference }: { reference: string }): Promise<void> {
  await rows(
    service,
    `update print_file f set state = 'failed', failure = $2, output_hash = null, preview_hash = null
     from print_job j join orders o on o.account_id = j.account_id and o.id = j.order_id
     where o.reference = $1 and f.key = j.print_file_key and f.account_id = j.account_id`,
    [reference, 'The picture is damaged: it ends in the middle.'],
  );
  await rows(
    service,
    `insert into artwork_failure (order_id, print_file_key, account_id, task_id, created_at)
     select distinct j.order_id, j.print_file_key, j.account_id, o.id, o.placed_at
     from print_job j join orders o on o.account_id = j.account_id and o.id = j.order_id
     join print_job p on p.account_id = j.account_id and p.print_file_key = j.print_file_key
     join orders w on w.account_id = p.account_id and w.id = p.order_id and w.reference = $1
     where o.state not in ('dispatched', 'delivered', 'cancelled')
     on conflict do nothing`,
    [reference],
  );
}

/** Opens the workers of a test. */
export function printWorkers(service: TestService): PrintWorkers {
  let pictures = 0;
  const work = async (change: (handler: Handler) => Handler): Promise<void> => {
    const { database, clock, log } = service.ctx;
    const worker = startWorker({ database, clock, log, pollMs: 10, handlers: artworkJobs(service.ctx).map(change) });
    try {
      const waits = 'select 1 from job where kind = $1 and failed_at is null';
      await eventually('all jobs end', async () => (await rows(service, waits, [NORMALISE_JOB])).length === 0);
    } finally {
      await worker.stop(30_000);
    }
  };
  return {
    failing: (reason = NO_INK) => {
      const run = (): Promise<void> => Promise.reject(new JobFault(reason));
      return work((handler) => ({ ...handler, run, attemptsMax: 1 }));
    },
    working: () => work((handler) => handler),
    ownItem: async (areas = ['front']) => {
      pictures += 1;
      const colour = `#${pictures.toString(16).padStart(6, '0')}`;
      const url = await servePicture(service, `/own-${pictures}.png`, { widthPx: 600, heightPx: 600, colour });
      const printed = areas.map((print_area) => ({ print_area, method: 'dtg', artwork_url: url }));
      return teeItem(service, { decoration: { areas: printed } });
    },
    tasksOf: async (floor, order) => {
      const { body } = await floor.request<Page<TaskSeen>>('GET', '/tasks?limit=100');
      return body.data.filter((task) => task.order_id === order.id && task.kind === 'artwork_failed');
    },
  };
}
