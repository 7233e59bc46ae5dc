import { BlobStoreAway, BlobStoreFull } from '../lib/blobs/failures.ts';
import type { StagedBlob } from '../lib/blobs.ts';
import { ChildPoolUnavailable } from '../lib/child-pool.ts';
import { unavailable } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import { HostQueueFullError } from '../lib/outbound/per-host-queue.ts';
import { TurnRefused } from '../lib/turns/refusal.ts';
import type { ArtworkContext } from './context.ts';
import { ImageTaskLate } from './image-pool.ts';
import { type ImageReport, inspectImage } from './inspect.ts';
import { copyOwnArtwork, findOwnArtwork } from './own-artwork.ts';
import { ARTWORK_BYTES_MAX } from './sniff/header.ts';
import { findReport } from './sql.ts';

const FETCH_TIMEOUT_MS = 15_000;
const REDIRECTS_MAX = 5;

/** An accepted image in the staging area, until it is kept or discarded. */
export type FetchedImage = {
  readonly kind: 'ok';
  readonly staged: StagedBlob;
  readonly hash: string;
  readonly bytes: number;
  readonly report: ImageReport;
};

/**
 * Why an address cannot be used.
 * `code` is one of spec 7's validation codes, `message` is for the caller.
 */
export type ImageFailure = { readonly kind: 'failed'; readonly code: string; readonly message: string };

/** What a request has taken in so far; made by the request, and counted up here. */
export type TakenIn = { bytes: number };

/** What is fetched, and for whom. */
type Fetch = {
  readonly url: string;
  /** Whose designs are taken from the store, where the address names one. */
  readonly accountId: Uuid;
  readonly signal: AbortSignal;
  readonly taken: TakenIn;
};

/** All files of one request together. They wait on the disk until all of them have passed. */
const REQUEST_BYTES_MAX = 1_024 ** 3;

/**
 * Fetches one address and checks the file (spec 8).
 * The call is guarded and the body capped while streaming; the file is judged by content and decoded
 * whole in a child process. Bytes that were accepted before are not decoded again. The address of a
 * design of the account in the store of this service is not called: its bytes are taken from there. On
 * failure nothing is left behind.
 * Places and room on the disk are taken in turn by account; throws 503 when there are none in time.
 */
export async function fetchImage(ctx: ArtworkContext, asked: Fetch): Promise<FetchedImage | ImageFailure> {
  const staged = await orUnavailable(() => ctx.blobs.stage());
  try {
    return await orUnavailable(() => fetchInto(ctx, staged, asked));
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

async function fetchInto(
  ctx: ArtworkContext,
  staged: StagedBlob,
  { url, accountId, signal, taken }: Fetch,
): Promise<FetchedImage | ImageFailure> {
  const { owner } = ctx.asker;
  const own = await findOwnArtwork(ctx, accountId, url);
  const download = await staged.fill((path) => {
    if (own !== undefined) return copyOwnArtwork(ctx, own, staged, { path, asker: { owner, signal } });
    return ctx.outbound.download(url, {
      owner,
      maxBytes: ARTWORK_BYTES_MAX,
      timeoutMs: FETCH_TIMEOUT_MS,
      redirectsMax: REDIRECTS_MAX,
      reserve: (bytes, deadline) => staged.reserve(bytes, { owner, signal: deadline }),
      path,
      signal,
    });
  });
  if (download.kind === 'failed') {
    await staged.discard();
    return download;
  }
  const { hash, bytes } = download;
  staged.shrink();
  taken.bytes += bytes;
  if (taken.bytes > REQUEST_BYTES_MAX) {
    await staged.discard();
    return { kind: 'failed', code: 'size', message: TOO_MUCH };
  }
  const known = await findReport(ctx.database, hash);
  if (known !== undefined) return { kind: 'ok', staged, hash, bytes, report: known };
  const inspected = await inspectImage(ctx.images, staged.path);
  if (inspected.kind === 'ok') return { kind: 'ok', staged, hash, bytes, report: inspected };
  await staged.discard();
  return { kind: 'failed', code: inspected.code, message: inspected.message };
}

const TOO_MUCH = `The files of one request must have at most ${REQUEST_BYTES_MAX} bytes together.`;

const OURS = [BlobStoreFull, BlobStoreAway, ChildPoolUnavailable, ImageTaskLate, HostQueueFullError, TurnRefused];

/**
 * Turns a full disk, a store that is away and full queues into 503.
 * The caller is not at fault (bad input N207, H140, G122).
 */
export async function orUnavailable<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (OURS.some((kind) => error instanceof kind)) {
      throw unavailable(
        'Artwork cannot be taken in right now. Nothing was charged. Try again in a few seconds.',
        error,
      );
    }
    throw error;
  }
}
