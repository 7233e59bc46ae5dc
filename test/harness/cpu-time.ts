/**
 * Milliseconds of processor time that this thread spends on some work, with the service when it runs in the same
 * process. Unlike the clock it does not grow because the machine is busy with something else.
 */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
