import { rm } from 'node:fs/promises';

/** Files beside the target that hold pixels between two passes; a killed child leaves them behind. */
export function passingFiles(targetPath: string): [unpacked: string, raster: string] {
  return [`${targetPath}.unpacked`, `${targetPath}.raster`];
}

/** Removes what a child that has failed or was killed made of a target. */
export async function removeMade(targetPath: string): Promise<void> {
  await Promise.all([targetPath, ...passingFiles(targetPath)].map((path) => rm(path, { force: true })));
}
