import { useEffect, useState } from 'react';
import { serviceNowMs } from '../api/client.ts';

const SECOND_MS = 1_000;

/** Counts down to a time of the service, by its clock, and says when it has passed. */
export function Countdown({ until, onPassed }: { until: string; onPassed?: () => void }) {
  const [leftMs, setLeftMs] = useState(() => Date.parse(until) - serviceNowMs());
  useEffect(() => {
    const timer = setInterval(() => {
      const nowLeftMs = Date.parse(until) - serviceNowMs();
      setLeftMs(nowLeftMs);
      if (nowLeftMs > 0) return;
      clearInterval(timer);
      onPassed?.();
    }, SECOND_MS);
    return () => clearInterval(timer);
  }, [until, onPassed]);
  // Not a live region: a screen reader would speak each second.
  return <span className="platen-number">{leftMs <= 0 ? '0:00' : formatDuration(leftMs)}</span>;
}

/** `2 d 4 h`, `3 h 05 min`, `59:07`: as exact as matters. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / SECOND_MS);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  if (hours >= 1) return `${hours} h ${twoDigits(minutes % 60)} min`;
  return `${minutes}:${twoDigits(seconds % 60)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
