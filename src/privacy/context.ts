import type { Context } from '../lib/context.ts';

/** What the use cases of personal data take first. */
export type PrivacyContext = Pick<Context, 'database' | 'clock' | 'config' | 'blobs' | 'log' | 'secrets'>;
