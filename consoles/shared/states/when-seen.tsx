import { Title } from '@mantine/core';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';

const DRAWN_MS = 300;
/** Of its place: the title alone is not what a person came for. */
const SEEN_SHARE = 0.25;

/** A part of a page below the first look: it is loaded when its place comes into view, or a person goes there by keyboard. */
export function WhenSeen({ label, children }: { label: string; children: ReactNode }) {
  const place = useRef<HTMLElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (place.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { threshold: SEEN_SHARE },
    );
    const { current } = place;
    // What stands above is drawn first: before that everything is in view.
    const timer = setTimeout(() => observer.observe(current), DRAWN_MS);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, []);
  if (isSeen) return <Suspense fallback={null}>{children}</Suspense>;
  return (
    <section
      ref={place}
      className="platen-panel platen-unloaded"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: going there loads it
      tabIndex={0}
      onFocus={() => setSeen(true)}
    >
      <header>
        <Title order={2}>{label}</Title>
      </header>
    </section>
  );
}
