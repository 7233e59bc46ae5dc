import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call, type Reply } from '../../shared/api/client.ts';
import { ProofFigure } from '../../shared/personalisation/proof-figure.tsx';
import { Failure } from '../../shared/states/failure.tsx';
import { wordsOf } from '../../shared/values/words.ts';

type Whole = Reply<'getShopOrder'>;
type Item = Whole['items'][number];

/** A proof of an item, and the print areas that have one. */
type Shown = {
  readonly area: string;
  readonly areas: readonly string[];
  readonly proof: Pick<Reply<'previewPersonalisation'>, 'proof_url' | 'warnings'>;
};

/** What a buyer entered for an item, as text, and the proof of it: drawn now, or that of its line once it is placed. */
export function Entered({ item, order, mayPreview }: { item: Item; order: Whole['order']; mayPreview: boolean }) {
  const { entered, personalisation, line } = item;
  return (
    <>
      {entered.length === 0 ? null : (
        <dl className="platen-facts" aria-label={`What the buyer entered for ${item.title}`}>
          {entered.map(({ name, value }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a shop may send a name twice, and nothing is moved.
            <EnteredValue key={at} name={name} value={value} />
          ))}
        </dl>
      )}
      {order !== null && line !== null ? (
        <Proof title={item.title} draw={(area) => proofOfLine(order.id, line, area)} order={order.reference} />
      ) : personalisation !== null && mayPreview ? (
        <Proof title={item.title} draw={(area) => drawnNow(personalisation, area)} />
      ) : null}
    </>
  );
}

function EnteredValue({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="platen-entered">{value}</dd>
    </>
  );
}

/** The piece as it is printed, asked for by a click: a draft is drawn for it, and an address is good for an hour. */
function Proof({
  title,
  draw,
  order,
}: {
  title: string;
  draw: (area?: string) => Promise<Shown | undefined>;
  order?: string;
}) {
  const shown = useMutation({ mutationFn: draw });
  const { data, error, isPending } = shown;
  const others = data?.areas.filter((area) => area !== data.area) ?? [];
  return (
    <div aria-live="polite">
      <Group gap="xs" mt={6}>
        <Button
          size="compact-xs"
          variant="default"
          loading={isPending}
          onClick={() => shown.mutate(undefined)}
          aria-label={`Show the proof of ${title}`}
        >
          Show the proof
        </Button>
        {others.map((area) => (
          <Button key={area} size="compact-xs" variant="subtle" onClick={() => shown.mutate(area)}>
            {wordsOf(area)}
          </Button>
        ))}
      </Group>
      {error === null ? null : <Failure error={error} />}
      {shown.isSuccess && data === undefined ? 'There is no picture of it now. ' : null}
      {data === undefined ? null : (
        <>
          <ProofFigure
            proof={data.proof}
            alt={`Proof of what is printed on ${wordsOf(data.area)} of ${title}`}
            isBehind={false}
          />
          <a href={data.proof.proof_url} target="_blank" rel="noreferrer" className="platen-link">
            Open the picture alone
          </a>
        </>
      )}
      {order === undefined || !shown.isSuccess ? null : (
        <>
          {data === undefined ? null : ' · '}
          <Link href={`/orders/${order}`} className="platen-link">
            The line in its order
          </Link>
        </>
      )}
    </div>
  );
}

async function drawnNow(of: NonNullable<Item['personalisation']>, area?: string): Promise<Shown> {
  const { product_id: id, variant_sku: sku, inputs } = of;
  const body = { inputs, variant_sku: sku, ...(area === undefined ? {} : { print_area: area }) };
  const proof = await call('previewPersonalisation', { path: { id }, body });
  return { area: proof.print_area, areas: proof.print_areas, proof };
}

/** The proof of a line, once there is one: nothing is printed on a blank, and print files take a while. */
async function proofOfLine(id: string, line: number, wanted?: string): Promise<Shown | undefined> {
  const { items } = await call('getOrder', { path: { id } });
  const proofs = (items[line]?.artwork?.areas ?? []).flatMap(({ print_area: area, proof_url: url }) =>
    url === null ? [] : [{ area, proof: { proof_url: url, warnings: [] } }],
  );
  const shown = proofs.find(({ area }) => area === wanted) ?? proofs[0];
  return shown === undefined ? undefined : { ...shown, areas: proofs.map(({ area }) => area) };
}
