import manifest from '../../package.json' with { type: 'json' };

/** The version of this program. That of the public API is in its path. */
export const PLATEN_VERSION: string = manifest.version;
