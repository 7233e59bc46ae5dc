import { useState } from 'react';
import { notifyOfFailure } from './notify.tsx';

/** Saves a file and says meanwhile that it does; a refusal is said in the service's words. */
export function useSaving(save: () => Promise<void>): { readonly isSaving: boolean; readonly run: () => void } {
  const [isSaving, setSaving] = useState(false);
  const keep = async (): Promise<void> => {
    setSaving(true);
    try {
      await save();
    } catch (error) {
      notifyOfFailure(error);
    } finally {
      setSaving(false);
    }
  };
  return { isSaving, run: () => void keep() };
}
