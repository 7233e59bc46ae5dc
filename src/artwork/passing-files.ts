/** Files beside the target that hold pixels between two passes; a killed child leaves them behind. */
export function passingFiles(targetPath: string): [unpacked: string, raster: string] {
  return [`${targetPath}.unpacked`, `${targetPath}.raster`];
}
