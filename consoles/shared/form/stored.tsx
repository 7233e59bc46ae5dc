import { Text } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useEffect, useEffectEvent, useState } from 'react';

type StoredForm<Stored, Values extends Record<string, unknown>> = {
  readonly form: UseFormReturnType<Values>;
  /** What is stored, as the form has it: what differs from it was typed here. */
  readonly stored: Values;
  readonly isUnsaved: boolean;
  /** Whether it was changed by another since it was opened or saved here. */
  readonly isChanged: boolean;
  /** Takes what the service has made of what was sent; what was typed since then stays. */
  readonly keep: (saved: Stored, sent: Values) => void;
};

/**
 * A form of what is stored, which a colleague may change meanwhile.
 * What comes then takes the place of what stands in the form, but for what was typed. The record is compared by itself,
 * so it must stay the same while nothing new was read.
 */
export function useStoredForm<Stored, Values extends Record<string, unknown>>(
  record: Stored,
  valuesOf: (record: Stored) => Values,
): StoredForm<Stored, Values> {
  const [stored, setStored] = useState(() => valuesOf(record));
  const [isChanged, setChanged] = useState(false);
  const form = useForm<Values>({ initialValues: stored });
  const take = (next: Values, untouched: Values): void => {
    form.setValues((typed) => ({ ...next, ...differing({ ...untouched, ...typed }, untouched) }));
    setStored(next);
  };
  const takeTheirs = useEffectEvent((theirs: Stored): void => {
    const next = valuesOf(theirs);
    if (isSame(next, stored)) return;
    take(next, stored);
    setChanged(true);
  });
  useEffect(() => takeTheirs(record), [record]);
  return {
    form,
    stored,
    isUnsaved: !isSame(form.values, stored),
    isChanged,
    keep: (saved, sent) => {
      take(valuesOf(saved), sent);
      setChanged(false);
    },
  };
}

/** Says so. */
export function ChangedMeanwhile({ what }: { what: string }) {
  return (
    <Text size="sm" className="platen-note" role="status" mb="sm">
      {what} was changed meanwhile. What you have typed is kept; the rest is as it is stored now.
    </Text>
  );
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The members of one that are not those of another. */
export function differing<Members extends object>(one: Members, other: Members): Partial<Members> {
  const names = Object.keys(one) as (keyof Members)[];
  return Object.fromEntries(
    names.filter((name) => !isSame(one[name], other[name])).map((name) => [name, one[name]]),
  ) as Partial<Members>;
}
