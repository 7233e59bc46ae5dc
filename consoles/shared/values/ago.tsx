import { useEffect, useState } from 'react';
import { serviceNowMs } from '../api/client.ts';

const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const WORDS = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' });
const AGAIN_MS = 30_000;

/** How long ago a time of the service is, by its clock, with UTC on hover. */
export function Ago({ at }: { at: string }) {
  const [nowMs, setNowMs] = useState(serviceNowMs);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(serviceNowMs()), AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  // An answer can be newer than the last look at the clock.
  const seconds = Math.max(0, Math.round((Math.max(nowMs, serviceNowMs()) - Date.parse(at)) / 1_000));
  return (
    <time dateTime={at} title={`${at.slice(0, 10)} ${at.slice(11, 19)} UTC`}>
      {agoOf(seconds)}
    </time>
  );
}

/** `3 minutes ago`, `yesterday`: in the largest unit that is full. */
function agoOf(seconds: number): string {
  const step = STEPS.find(([, each]) => seconds >= each);
  if (step === undefined) return 'just now';
  const [unit, each] = step;
  return WORDS.format(-Math.floor(seconds / each), unit);
}
