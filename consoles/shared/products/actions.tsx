import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/client.ts';
import type { Question } from '../dialog/confirm.tsx';
import { useSession } from '../session/session.tsx';
import { notifyOf, notifyOfFailure } from '../states/notify.tsx';

/** A product as far as its actions go. */
export type ActedOn = {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly personalised: boolean;
};

/** Something to do with a product; the service has the last word. */
export type ProductAction = { readonly id: string; readonly label: string; readonly run: () => void };

/** Whether this person designs products. The service refuses others anyway. */
export function useIsDesigner(): boolean {
  const { role } = useSession().session.user;
  return role === 'owner' || role === 'manager';
}

/**
 * What can be done with a product beside changing it: activate, draft, duplicate, archive.
 * Archiving asks first, since it cannot be undone. `question` is for the one dialog.
 */
export function useProductActions(): {
  readonly actionsOf: (product: ActedOn) => readonly ProductAction[];
  readonly question: Question | undefined;
  readonly close: () => void;
} {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const isDesigner = useIsDesigner();
  const [question, setQuestion] = useState<Question>();
  const refresh = async (): Promise<void> => {
    await Promise.all(
      ['listGallery', 'getDesignedProduct', 'listProducts', 'getProduct'].map((id) =>
        queries.invalidateQueries({ queryKey: [id] }),
      ),
    );
  };
  const attempt = (act: () => Promise<void>): void => {
    act()
      .then(refresh)
      .catch((error: unknown) => notifyOfFailure(error));
  };
  const setStatus = (product: ActedOn, status: 'active' | 'draft'): void =>
    attempt(async () => {
      await call('updateProduct', { path: { id: product.id }, body: { status } });
      notifyOf(status === 'active' ? `${product.name} is active.` : `${product.name} is a draft.`);
    });
  const duplicate = (product: ActedOn): void =>
    attempt(async () => {
      const copy = await call('duplicateProduct', { path: { id: product.id } });
      notifyOf(`${copy.name} is a draft.`);
      navigate(`/products/${copy.id}`);
    });
  const archive = (product: ActedOn): void =>
    setQuestion({
      title: `Archive ${product.name}?`,
      label: 'Archive the product',
      typed: 'archive',
      act: async () => {
        await call('archiveProduct', { path: { id: product.id } });
        await refresh();
        notifyOf(`${product.name} is archived.`);
      },
    });
  const actionsOf = (product: ActedOn): readonly ProductAction[] => {
    if (!isDesigner) return [];
    const { status, personalised } = product;
    const isFixed = !personalised && status !== 'archived';
    return [
      ...(isFixed && status === 'draft'
        ? [{ id: 'activate', label: 'Activate', run: () => setStatus(product, 'active') }]
        : []),
      ...(isFixed && status === 'active'
        ? [{ id: 'draft', label: 'Make it a draft', run: () => setStatus(product, 'draft') }]
        : []),
      { id: 'duplicate', label: 'Duplicate', run: () => duplicate(product) },
      ...(status === 'archived' ? [] : [{ id: 'archive', label: 'Archive', run: () => archive(product) }]),
    ];
  };
  return { actionsOf, question, close: () => setQuestion(undefined) };
}
