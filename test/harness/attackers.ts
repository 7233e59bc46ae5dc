import type { NameServer } from './name-server.ts';
import { hang, type Stranger } from './stranger.ts';

// What one customer can do within the limits to keep others waiting; tests and measurements share it.

/** Makes names whose name server is silent: a look-up of each takes as long as it is allowed to. */
export function hangNames(names: NameServer, count: number): { readonly hosts: readonly string[] } {
  names.answerBelow('.silent.example.test', { kind: 'silent' });
  return { hosts: Array.from({ length: count }, (_, index) => `n${index}.silent.example.test`) };
}

/** Makes receivers, or artwork, that take a request and never answer; each path is an address of its own. */
export function hangAnswers(stranger: Stranger, count: number): { readonly urls: readonly string[] } {
  const paths = Array.from({ length: count }, (_, index) => `/hang-${index}`);
  for (const path of paths) stranger.serve(path, hang);
  return { urls: paths.map((path) => stranger.url(path)) };
}
