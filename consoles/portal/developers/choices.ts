type Choice = { readonly value: string; readonly label: string };

/** The choices of a filter with what the address has, so that nothing narrows a list unseen. */
export function withChosen(choices: readonly Choice[], chosen: string | undefined): Choice[] {
  const isKnown = chosen === undefined || choices.some(({ value }) => value === chosen);
  return isKnown ? [...choices] : [...choices, { value: chosen, label: chosen }];
}
