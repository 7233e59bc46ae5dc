import { createContext, useCallback, useState } from 'react';
import { PageRefused } from '../api/failures.ts';

/** Counts the uploads of the form around: what is sent before they end lacks their pictures. */
export const Uploads = createContext<(change: 1 | -1) => void>(() => {});

/** What a form says that is sent while a file is on its way. */
export const UPLOAD_UNDER_WAY = 'Wait for the upload to end.';

/** Refuses what is sent while a file is on its way. */
export const uploadUnderWay = (): PageRefused => new PageRefused('A file is on its way', UPLOAD_UNDER_WAY);

/** How many files of a form are on their way, and the value of `Uploads` around its fields. */
export function useUploads(): readonly [number, (change: 1 | -1) => void] {
  const [uploads, setUploads] = useState(0);
  return [uploads, useCallback((by) => setUploads((count) => count + by), [])];
}
