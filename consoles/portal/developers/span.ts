/** A time as a field of the browser has it, in the zone of who reads it: `2026-11-23T22:10`. */
export function toField(time: string | undefined): string {
  if (time === undefined || Number.isNaN(Date.parse(time))) return '';
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** What a field of a time has, as the service writes it; undefined while it has none. */
export function fromField(text: string): string | undefined {
  const date = new Date(text);
  return text === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
