/** The settings of a process. */
export type Environment = Readonly<Record<string, string>>;

export type CommandResult = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

/** These settings and none of the test's. */
export function environment(env: Environment): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    HOME,
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
    ...env,
  };
}
