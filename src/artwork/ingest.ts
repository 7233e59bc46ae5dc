import type { Problem } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import { mapBounded } from '../lib/map-bounded.ts';
import type { ArtworkContext } from './context.ts';
import { type FetchedImage, fetchImage, type ImageFailure, orUnavailable } from './fetch-image.ts';
import { reserveBlobs } from './reserve-blobs.ts';
import { keepDesigns, keepPhotos } from './sql.ts';

/** Bounds of an order's artwork (decisions, "Bounds"). */
const URLS_MAX = 100;
const FETCHES_AT_ONCE = 8;
const INTAKE_TIMEOUT_MS = 60_000;

/** An address and the request's field that names it. */
export type ArtworkRequest = { readonly url: string; readonly path: string };

/** The images of a request, fetched and accepted but not stored yet; or why not. */
export type Intake = {
  /** By address. */
  readonly pictures: ReadonlyMap<string, FetchedImage>;
  /** One for each field whose address failed. */
  readonly problems: readonly Problem[];
  /** Stores the bytes and records them as the account's designs. Idempotent. */
  readonly keep: () => Promise<void>;
  /** As `keep`, for pictures that nothing is printed from. */
  readonly keepAsPhotos: () => Promise<void>;
  /** Ends the intake: what was not kept leaves the staging area. Safe to call after `keep`. */
  readonly discard: () => Promise<void>;
};

/** The intake of a request that names no address. */
export const NO_INTAKE: Intake = {
  pictures: new Map(),
  problems: [],
  keep: async () => {},
  keepAsPhotos: async () => {},
  discard: async () => {},
};

/**
 * Fetches every distinct address of a request once and checks each image.
 * Concurrency is bounded, no transaction is open, and all failures are found. Nothing is stored until
 * `keep`; the caller must end with `discard`.
 */
export async function ingestArtwork(
  ctx: ArtworkContext,
  accountId: Uuid,
  requests: readonly ArtworkRequest[],
  signal: AbortSignal,
): Promise<Intake> {
  const urls = [...new Set(requests.map((request) => request.url))];
  if (urls.length > URLS_MAX) return refusedIntake(requests, urls);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(INTAKE_TIMEOUT_MS)]);
  const results = await fetchAll(ctx, accountId, urls, deadline);
  const pictures = new Map<string, FetchedImage>();
  const failures = new Map<string, ImageFailure>();
  let isStored = false;
  for (const [url, result] of results) {
    if (result.kind === 'ok') pictures.set(url, result);
    else failures.set(url, result);
  }
  const keepWith = (record: Recording): Promise<void> => {
    // A quote that is repeated finds the bytes stored; only their last use is refreshed.
    const unstored = isStored ? [] : [...pictures.values()];
    isStored = true;
    return keep(ctx, record, [...pictures.values()], unstored);
  };
  return {
    pictures,
    problems: requests.flatMap(({ url, path }) => {
      const failure = failures.get(url);
      return failure === undefined ? [] : [{ path, code: failure.code, message: failure.message }];
    }),
    keep: () => keepWith((found, now) => keepDesigns(ctx.database, accountId, found, now)),
    keepAsPhotos: () => keepWith((found, now) => keepPhotos(ctx.database, found, now)),
    discard: () => discardAll(pictures.values()),
  };
}

async function fetchAll(
  ctx: ArtworkContext,
  accountId: Uuid,
  urls: readonly string[],
  signal: AbortSignal,
): Promise<[string, FetchedImage | ImageFailure][]> {
  const done: (FetchedImage | ImageFailure)[] = [];
  const taken = { bytes: 0 };
  try {
    return await mapBounded(urls, FETCHES_AT_ONCE, async (url) => {
      const result = await fetchImage(ctx, { url, accountId, signal, taken });
      done.push(result);
      return [url, result];
    });
  } catch (error) {
    // A fault of ours (the disk is full, the database is away): the other images are discarded.
    await discardAll(done.filter((result) => result.kind === 'ok'));
    throw error;
  }
}

/** Writes the rows of stored pictures. */
type Recording = (pictures: readonly FetchedImage[], now: Date) => Promise<void>;

async function keep(
  ctx: ArtworkContext,
  record: Recording,
  pictures: readonly FetchedImage[],
  unstored: readonly FetchedImage[],
): Promise<void> {
  if (pictures.length === 0) return;
  const distinct = [...new Map(pictures.map((picture) => [picture.hash, picture])).values()];
  await reserveBlobs(
    ctx,
    distinct.map(({ hash }) => hash),
  );
  await orUnavailable(() => Promise.all(unstored.map((picture) => picture.staged.commit())));
  await record(distinct, ctx.clock.now());
}

async function discardAll(pictures: Iterable<FetchedImage>): Promise<void> {
  for (const picture of pictures) await picture.staged.discard();
}

function refusedIntake(requests: readonly ArtworkRequest[], urls: readonly string[]): Intake {
  const path = requests.find((request) => request.url === urls[URLS_MAX])?.path ?? '';
  const message = `An order names at most ${URLS_MAX} distinct addresses; this one has ${urls.length}.`;
  return {
    pictures: new Map(),
    problems: [{ path, code: 'too_many_urls', message }],
    keep: async () => {},
    keepAsPhotos: async () => {},
    discard: async () => {},
  };
}
