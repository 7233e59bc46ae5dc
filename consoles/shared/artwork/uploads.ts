import { createContext } from 'react';

/** Counts the uploads of the form around: what is sent before they end lacks their pictures. */
export const Uploads = createContext<(change: 1 | -1) => void>(() => {});
