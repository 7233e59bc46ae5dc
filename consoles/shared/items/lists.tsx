import { Button, Modal, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useCommands } from '../commands/registry.ts';
import { Confirm, type Question } from '../dialog/confirm.tsx';
import { type ItemVariant, Picker } from '../products/picker.tsx';
import { notifyOfFailure } from '../states/notify.tsx';
import { useVariantNames } from './variant-names.ts';

/** What is sold elsewhere, by the name that it has there. */
type Item = { readonly key: string; readonly title: string };
type UnknownItem = Item & { readonly suggestions: readonly ItemVariant[] };
/** Its variant is null where others make it. */
type KnownItem = Item & { readonly variant: ItemVariant | null };

/** What an item is said to be, as the service takes it. */
export type Said = { readonly product_id: string; readonly variant_sku: string } | { readonly not_ours: true };

const NOT_OURS = 'not made here';

/** The items of a page: those of which a person has to say what they are, then those that are known. */
export function ItemLists<Unknown extends UnknownItem, Known extends KnownItem>({
  unknown,
  known,
  mayChange,
  heading,
  detailOf,
  sinceOf,
  say,
  whyNotOurs,
  forget,
  whyForget,
}: {
  unknown: readonly Unknown[];
  known: readonly Known[];
  mayChange: boolean;
  /** Above those that are not known. */
  heading: ReactNode;
  /** Below the title of one that is not known. */
  detailOf: (item: Unknown) => ReactNode;
  /** Below the title of one that is known. */
  sinceOf?: (item: Known) => ReactNode;
  /** `words` are what a person calls that which the item is. */
  say: (item: Unknown | Known, is: Said, words: string) => Promise<void>;
  /** What becomes of an item that others make. */
  whyNotOurs: string;
  forget: (item: Known) => Promise<void>;
  /** What becomes of one that is forgotten; without it, nothing is asked first. */
  whyForget?: string;
}) {
  const [choosing, setChoosing] = useState<Unknown | Known>();
  const [question, setQuestion] = useState<Question & { readonly why: string }>();
  const nameOf = useVariantNames(known.length > 0 || unknown.some(({ suggestions }) => suggestions.length > 0));
  const wordsFor = ({ product_name: product, variant_sku: sku }: ItemVariant): string => `${product}, ${nameOf(sku)}`;
  const sayAtOnce = (item: Unknown, is: ItemVariant): void =>
    void say(item, saidOf(is), wordsFor(is)).catch(notifyOfFailure);
  const askNotOurs = (item: Unknown): void =>
    setQuestion({
      title: `Is ${item.title} made by others?`,
      label: 'It is not made here',
      keepLabel: 'Leave it',
      why: whyNotOurs,
      act: () => say(item, { not_ours: true }, NOT_OURS),
    });
  const askToForget = (item: Known): void => {
    const act = (): Promise<void> => forget(item);
    if (whyForget === undefined) void act().catch(notifyOfFailure);
    else setQuestion({ title: `Forget what ${item.title} is?`, label: 'Forget it', why: whyForget, act });
  };
  useCommands(
    (mayChange ? unknown : []).flatMap((item) => [
      ...item.suggestions.slice(0, 1).map((is) => ({
        id: `is-${item.key}`,
        label: `${item.title} is ${wordsFor(is)}`,
        group: 'Items',
        run: () => sayAtOnce(item, is),
      })),
      { id: `choose-${item.key}`, label: `Choose what ${item.title} is`, group: 'Items', run: () => setChoosing(item) },
    ]),
  );
  return (
    <>
      {unknown.length === 0 ? null : (
        <>
          {heading}
          <div className="platen-lines">
            {unknown.map((item) => (
              <UnknownLine
                key={item.key}
                item={item}
                detail={detailOf(item)}
                mayChange={mayChange}
                wordsFor={wordsFor}
                say={(is) => sayAtOnce(item, is)}
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
              <KnownLine
                key={item.key}
                title={item.title}
                words={item.variant === null ? NOT_OURS : wordsFor(item.variant)}
                since={sinceOf?.(item)}
                mayChange={mayChange}
                choose={() => setChoosing(item)}
                forget={() => askToForget(item)}
              />
            ))}
          </div>
        </>
      )}
      <Modal
        opened={choosing !== undefined}
        onClose={() => setChoosing(undefined)}
        title={choosing === undefined ? '' : `What is ${choosing.title}?`}
        size="lg"
        closeOnClickOutside
      >
        {choosing === undefined ? null : (
          <Picker
            onChosen={async (is, named) => {
              await say(choosing, saidOf(is), named);
              setChoosing(undefined);
            }}
          />
        )}
      </Modal>
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">{question?.why}</Text>
      </Confirm>
    </>
  );
}

function saidOf({ product_id, variant_sku }: ItemVariant): Said {
  return { product_id, variant_sku };
}

function UnknownLine({
  item: { title, suggestions },
  detail,
  mayChange,
  wordsFor,
  say,
  choose,
  askNotOurs,
}: {
  item: UnknownItem;
  detail: ReactNode;
  mayChange: boolean;
  wordsFor: (variant: ItemVariant) => string;
  say: (is: ItemVariant) => void;
  choose: () => void;
  askNotOurs: () => void;
}) {
  const otherwise = suggestions.length === 0 ? 'Choose a product' : 'Something else';
  return (
    <div className="platen-line platen-problem">
      <div className="platen-line-text">
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm" c="dimmed" component="div">
          {detail}
        </Text>
      </div>
      {mayChange ? (
        <div className="platen-buttons">
          {suggestions.map((is) => (
            <Button
              key={`${is.product_id} ${is.variant_sku}`}
              variant="light"
              className="platen-long-button"
              onClick={() => say(is)}
            >
              It is {wordsFor(is)}
            </Button>
          ))}
          <Button variant="default" onClick={choose} aria-label={`${otherwise}: ${title}`}>
            {otherwise}
          </Button>
          <Button variant="default" onClick={askNotOurs} aria-label={`Not ours: ${title}`}>
            Not ours
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function KnownLine({
  title,
  words,
  since,
  mayChange,
  choose,
  forget,
}: {
  title: string;
  words: string;
  since: ReactNode;
  mayChange: boolean;
  choose: () => void;
  forget: () => void;
}) {
  return (
    <div className="platen-line platen-problem">
      <div className="platen-line-text">
        <Text size="sm" component="div">
          <strong>{title}</strong> is {words}
        </Text>
        {since === undefined ? null : (
          <Text size="sm" c="dimmed" component="div">
            {since}
          </Text>
        )}
      </div>
      {mayChange ? (
        <div className="platen-buttons">
          <Button size="compact-sm" variant="default" onClick={choose} aria-label={`Change what ${title} is`}>
            Change
          </Button>
          <Button size="compact-sm" variant="default" onClick={forget} aria-label={`Forget ${title}`}>
            Forget
          </Button>
        </div>
      ) : null}
    </div>
  );
}

/** What became of an item that a person said or forgot. */
export type ItemNote = { readonly text: string; readonly tone: 'busy' | 'good' | 'bad' };

/** Says what became of an item: its line goes with the button that had the focus, and this takes it. */
export function SaidOfItem({ note }: { note: ItemNote | undefined }) {
  const ref = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (note !== undefined) ref.current?.focus();
  }, [note]);
  return (
    <Text
      ref={ref}
      size="sm"
      role="status"
      tabIndex={-1}
      className={note === undefined ? 'platen-unseen' : 'platen-said'}
      data-tone={note?.tone}
    >
      {note?.text}
    </Text>
  );
}
