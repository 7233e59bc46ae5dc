const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
const SHORT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A day of the calendar, `Tue 24 Nov`. */
export function formatDay(day: string): string {
  return DAY.format(new Date(day)).replace(',', '');
}

/** The days between which something arrives, `24 Nov – 27 Nov`. */
export function formatDays({ earliest, latest }: { readonly earliest: string; readonly latest: string }): string {
  const last = SHORT.format(new Date(latest));
  return earliest === latest ? last : `${SHORT.format(new Date(earliest))} – ${last}`;
}
