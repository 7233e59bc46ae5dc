import { useQuery } from '@tanstack/react-query';
import { reading } from '../../shared/api/queries.ts';
import { Page } from '../../shared/layout/page.tsx';
import { useIsDesigner } from '../../shared/products/actions.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { Designer } from './designer.tsx';
import { draftOf, newDraft } from './draft.ts';
import { Garments } from './garments.tsx';
import { Shown } from './shown.tsx';

/** A new product: the garment is chosen first, and stands in the address. */
export function NewProductPage() {
  const { get, set } = useAddressState();
  const garmentId = get('garment');
  if (!useIsDesigner()) {
    return (
      <Page title="New product">
        <Empty title="An owner or a manager makes products." />
      </Page>
    );
  }
  if (garmentId === undefined) return <Garments onChoose={(garment) => set({ garment })} />;
  return <NewOn key={garmentId} garmentId={garmentId} onOther={() => set({ garment: undefined })} />;
}

function NewOn({ garmentId, onOther }: { garmentId: string; onOther: () => void }) {
  const garment = useQuery({ ...reading('getGarment', { path: { id: garmentId } }), refetchOnWindowFocus: false });
  return (
    <Answer query={garment} lines={8}>
      {(value) => <Designer garment={value} product={undefined} initial={newDraft(value)} onOther={onOther} />}
    </Answer>
  );
}

/** One product: its designer, or what there is to see for who does not design. */
export function ProductPage({ id }: { id: string }) {
  const isDesigner = useIsDesigner();
  const product = useQuery({
    ...reading('getDesignedProduct', { path: { id } }),
    // What is being changed is not taken away by a look from another tab.
    refetchOnWindowFocus: false,
  });
  return (
    <Answer query={product} lines={8}>
      {(value) =>
        isDesigner && value.status !== 'archived' && !value.personalised ? (
          <Stored key={value.id} product={value} />
        ) : (
          <Shown product={value} />
        )
      }
    </Answer>
  );
}

function Stored({ product }: { product: Parameters<typeof draftOf>[0] }) {
  const garment = useQuery({
    ...reading('getGarment', { path: { id: product.base_product.id } }),
    refetchOnWindowFocus: false,
  });
  return (
    <Answer query={garment} lines={8}>
      {(value) => <Designer garment={value} product={product} initial={draftOf(product)} />}
    </Answer>
  );
}
