import { Button, Modal, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call, type Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { type ItemVariant, Picker } from '../../shared/products/picker.tsx';
import { useVariantNames } from '../../shared/products/variant-names.ts';
import { notifyOfFailure } from '../../shared/states/notify.tsx';

type OrderFile = Reply<'getOrderFile'>;
type Items = Reply<'listOrderFileItems'>;
type Unknown = Items['unknown'][number];
type Known = Items['known'][number];
type Item = Pick<Unknown, 'key' | 'title'>;

/** Says an item to be a variant, or undefined for what others make; `named` is what a person calls it. */
type Say = (item: Item, is: ItemVariant | undefined, named?: string) => Promise<void>;

/** What the file sells that is no product here by its name, and what was said of such items. */
export function FileItems({ file, onChanged }: { file: OrderFile; onChanged: (file: OrderFile) => void }) {
  const path = { id: file.id };
  const query = useQuery(reading('listOrderFileItems', { path }));
  const queries = useQueryClient();
  const { refetch } = query;
  // The file was read anew: by other columns, or by what was said.
  const seen = useRef(file.plan);
  useEffect(() => {
    if (seen.current !== file.plan) void refetch();
    seen.current = file.plan;
  }, [file.plan, refetch]);
  const [choosing, setChoosing] = useState<Item>();
  const [question, setQuestion] = useState<Question>();
  const [note, setNote] = useState<string>();
  const noteRef = useRef<HTMLParagraphElement>(null);
  // The line with the button that had the focus goes; what became of it takes the focus.
  useEffect(() => {
    if (note !== undefined) noteRef.current?.focus();
  }, [note]);
  const unknown = query.data?.unknown ?? [];
  const known = query.data?.known ?? [];
  const nameOf = useVariantNames(known.length > 0 || unknown.some(({ suggestions }) => suggestions.length > 0));
  const wordsFor = ({ product_name: product, variant_sku: sku }: ItemVariant): string => `${product}, ${nameOf(sku)}`;
  const keep = async (changed: OrderFile): Promise<void> => {
    onChanged(changed);
    await queries.invalidateQueries({ queryKey: ['listOrderFileItems'] });
  };
  const say: Say = async ({ key, title }, is, named) => {
    const said = is === undefined ? { not_ours: true } : { product_id: is.product_id, variant_sku: is.variant_sku };
    const changed = await call('sayOrderFileItem', { path, body: { key, ...said } });
    setNote(`${title}: ${is === undefined ? 'not made here' : (named ?? wordsFor(is))}. Its orders are checked anew.`);
    await keep(changed);
  };
  const sayAtOnce = (item: Item, is: ItemVariant): void => void say(item, is).catch(notifyOfFailure);
  const askNotOurs = (item: Item): void =>
    setQuestion({
      title: `Is ${item.title} made by others?`,
      label: 'It is not made here',
      keepLabel: 'Leave it',
      act: () => say(item, undefined),
    });
  const forget = async ({ key, title }: Known): Promise<void> => {
    try {
      const changed = await call('forgetOrderFileItem', { path, body: { key } });
      setNote(`${title} is forgotten.`);
      await keep(changed);
    } catch (error) {
      notifyOfFailure(error);
    }
  };
  useCommands(
    unknown.map((item) => ({
      id: `choose-${item.key}`,
      label: `Choose what ${item.title} is`,
      group: 'Items',
      run: () => setChoosing(item),
    })),
  );
  if (unknown.length + known.length === 0 && note === undefined) return null;
  return (
    <Panel title="Items">
      <Text
        ref={noteRef}
        size="sm"
        role="status"
        tabIndex={-1}
        className={note === undefined ? 'platen-unseen' : 'platen-said'}
        data-tone="good"
      >
        {note}
      </Text>
      {unknown.length === 0 ? null : (
        <>
          <Text size="sm" className="platen-subtitle">
            These are no products of yours by their names. Say once what each is: that holds for later files, too.
          </Text>
          <div className="platen-lines">
            {unknown.map((item) => (
              <UnknownLine
                key={item.key}
                item={item}
                wordsFor={wordsFor}
                say={sayAtOnce}
                choose={() => setChoosing(item)}
                askNotOurs={() => askNotOurs(item)}
              />
            ))}
          </div>
        </>
      )}
      {known.length === 0 ? null : (
        <>
          <Text size="sm" fw={600} className="platen-subtitle">
            Known
          </Text>
          <div className="platen-lines">
            {known.map((item) => (
              <div key={item.key} className="platen-line platen-problem">
                <Text size="sm" className="platen-line-text" component="div">
                  <strong>{item.title}</strong> is {item.variant === null ? 'not made here' : wordsFor(item.variant)}
                </Text>
                <div className="platen-buttons">
                  <Button
                    size="compact-sm"
                    variant="default"
                    onClick={() => setChoosing(item)}
                    aria-label={`Change what ${item.title} is`}
                  >
                    Change
                  </Button>
                  <Button
                    size="compact-sm"
                    variant="default"
                    onClick={() => void forget(item)}
                    aria-label={`Forget ${item.title}`}
                  >
                    Forget
                  </Button>
                </div>
              </div>
            ))}
          </div>
        </>
      )}
      <Modal
        opened={choosing !== undefined}
        onClose={() => setChoosing(undefined)}
        title={choosing === undefined ? '' : `What is ${choosing.title}?`}
        size="lg"
      >
        {choosing === undefined ? null : (
          <Picker
            onChosen={async (is, named) => {
              await say(choosing, is, named);
              setChoosing(undefined);
            }}
          />
        )}
      </Modal>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">
          It is left out of this and all later files. An order that has nothing else is left to those who make it.
        </Text>
      </Confirm>
    </Panel>
  );
}

function UnknownLine({
  item,
  wordsFor,
  say,
  choose,
  askNotOurs,
}: {
  item: Unknown;
  wordsFor: (variant: ItemVariant) => string;
  say: (item: Item, is: ItemVariant) => void;
  choose: () => void;
  askNotOurs: () => void;
}) {
  const { title, rows, suggestions } = item;
  const otherwise = suggestions.length === 0 ? 'Choose a product' : 'Something else';
  return (
    <div className="platen-line platen-problem">
      <div className="platen-line-text">
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm" c="dimmed">
          {rows === 1 ? 'In 1 row' : `In ${rows} rows`}
        </Text>
      </div>
      <div className="platen-buttons">
        {suggestions.map((variant) => (
          <Button
            key={`${variant.product_id} ${variant.variant_sku}`}
            onClick={() => say(item, variant)}
            aria-label={`${title} is ${wordsFor(variant)}`}
          >
            It is {wordsFor(variant)}
          </Button>
        ))}
        <Button variant="default" onClick={choose} aria-label={`${otherwise}: ${title}`}>
          {otherwise}
        </Button>
        <Button variant="default" onClick={askNotOurs} aria-label={`Not ours: ${title}`}>
          Not ours
        </Button>
      </div>
    </div>
  );
}
