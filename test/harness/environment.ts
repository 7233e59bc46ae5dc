/** The settings of a process. */
export type Environment = Readonly<Record<string, string>>;

export type CommandResult = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

/** These settings and none of the test's, but for how the run has Node.js load modules. */
export function environment(env: Environment): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
  return {
    PATH,
    HOME,
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
    ...(NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS }),
    ...env,
  };
}

/** The settings of a service process that shares a database and a folder, and trusts one receiver of this machine. */
export function settingsOfProcess(of: {
  readonly databaseUrl: string;
  readonly secretKey: string;
  readonly dataDir: string;
  readonly receiverPort: number;
  readonly caFile: string;
}): Record<string, string> {
  return {
    DATABASE_URL: of.databaseUrl,
    SECRET_KEY: of.secretKey,
    DATA_DIR: of.dataDir,
    PORT: '0',
    TRUSTED_PRIVATE_HOSTS: `127.0.0.1:${of.receiverPort}`,
    NODE_EXTRA_CA_CERTS: of.caFile,
    LOG_LEVEL: 'error',
  };
}
