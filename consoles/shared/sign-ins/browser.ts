const BROWSERS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [mark: RegExp, name: string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** A browser as a person knows it; what is not known is shown as it names itself. */
export function browserOf(userAgent: string): string {
  const name = BROWSERS.find(([mark]) => mark.test(userAgent))?.[1];
  const system = SYSTEMS.find(([mark]) => mark.test(userAgent))?.[1];
  if (name === undefined) return userAgent === '' ? 'A browser that does not say its name' : userAgent;
  return system === undefined ? name : `${name} on ${system}`;
}
