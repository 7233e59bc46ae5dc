import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { COUNTRY_CHOICES } from './countries.ts';
import { type ReadAddress, readAddress } from './read-address.ts';

/** An address as it is typed; `""` where nothing is. */
export type TypedAddress = ReadAddress;

type TextField = {
  readonly name: Exclude<keyof TypedAddress, 'country_code'>;
  readonly label: string;
  readonly autoComplete: string;
  readonly isWide?: boolean;
  readonly isRequired?: boolean;
};

const BEFORE: readonly TextField[] = [
  { name: 'contact_name', label: 'Name', autoComplete: 'off', isRequired: true },
  { name: 'company_name', label: 'Company', autoComplete: 'off' },
  { name: 'line1', label: 'Street and number', autoComplete: 'off', isRequired: true, isWide: true },
  { name: 'line2', label: 'Second line', autoComplete: 'off', isWide: true },
  { name: 'city', label: 'Town or city', autoComplete: 'off', isRequired: true },
  { name: 'postcode', label: 'Postcode', autoComplete: 'off', isRequired: true },
  { name: 'county', label: 'County, state or province', autoComplete: 'off' },
];
const AFTER: readonly TextField[] = [
  { name: 'phone', label: 'Phone', autoComplete: 'off' },
  { name: 'email', label: 'Email', autoComplete: 'off' },
];

/** The fields of an address, and a place to paste a whole one, which fills them in. */
export function AddressFields({
  address,
  onChange,
  problemAt,
}: {
  address: TypedAddress;
  /** Changes the address from what it is by then: two fields may change before either is drawn. */
  onChange: (update: (before: TypedAddress) => TypedAddress) => void;
  /** The service's words about a member of the address. */
  problemAt: (name: keyof TypedAddress) => string | undefined;
}) {
  const text = ({ name, label, autoComplete, isWide, isRequired }: TextField) => (
    <TextInput
      key={name}
      label={label}
      autoComplete={autoComplete}
      withAsterisk={isRequired === true}
      aria-required={isRequired === true}
      className={isWide === true ? 'platen-wide' : ''}
      value={address[name]}
      error={problemAt(name)}
      onChange={({ currentTarget: { value } }) => onChange((before) => ({ ...before, [name]: value }))}
    />
  );
  return (
    <div className="platen-fields">
      <Paste onRead={(read) => onChange(() => read)} />
      {BEFORE.map(text)}
      <NativeSelect
        label="Country"
        withAsterisk
        aria-required
        data={COUNTRY_CHOICES}
        value={address.country_code}
        error={problemAt('country_code')}
        onChange={({ currentTarget: { value } }) => onChange((before) => ({ ...before, country_code: value }))}
      />
      {AFTER.map(text)}
    </div>
  );
}

function Paste({ onRead }: { onRead: (address: TypedAddress) => void }) {
  const [text, setText] = useState('');
  const read = (pasted: string): void => {
    if (pasted.trim() === '') return;
    onRead(readAddress(pasted));
    setText('');
  };
  return (
    <div className="platen-wide">
      <Textarea
        label="Paste an address"
        description="As it stands in a mail or in your shop: it fills in the fields below."
        rows={2}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData('text');
          // A word that is pasted into a text that is being typed is no address.
          if (text !== '' || !/[\n,]/.test(pasted)) return;
          event.preventDefault();
          read(pasted);
        }}
      />
      {text.trim() === '' ? null : (
        <Button size="compact-sm" variant="default" mt={6} onClick={() => read(text)}>
          Fill in the fields
        </Button>
      )}
    </div>
  );
}
