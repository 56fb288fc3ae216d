import { version as packageVersion } from '../../package.json'

// What a build is. `./compile.sh --release` names each with --define
// (data/release/programs.ts); other builds have the values of development.

/** SemVer, as the tag without its "v". */
declare const TOLLGATE_VERSION: string
/** The commit's whole hash. */
declare const TOLLGATE_COMMIT: string
/** ISO 8601, the time of the commit: two builds of it are the same. */
declare const TOLLGATE_BUILT_AT: string
/** The archive's: `linux-x64`, `linux-arm64-musl`, `darwin-arm64`, `windows-x64` … */
declare const TOLLGATE_TARGET: string
/** The second line of a public key of minisign: releases are signed with its secret one. */
declare const TOLLGATE_RELEASE_KEY: string

export const version = typeof TOLLGATE_VERSION === 'undefined' ? packageVersion : TOLLGATE_VERSION

/** Null: no release. */
export const commit = typeof TOLLGATE_COMMIT === 'undefined' ? null : TOLLGATE_COMMIT

/** Null: no release. */
export const builtAt = typeof TOLLGATE_BUILT_AT === 'undefined' ? null : TOLLGATE_BUILT_AT

export const target =
  typeof TOLLGATE_TARGET === 'undefined' ? `${process.platform}-${process.arch}` : TOLLGATE_TARGET

/**
 * What releases are checked with before an upgrade; undefined: nothing is trusted. Only a build that is no release takes
 * it from the environment.
 */
export function releaseKey(): string | undefined {
  if (typeof TOLLGATE_RELEASE_KEY !== 'undefined') return TOLLGATE_RELEASE_KEY
  return commit === null ? process.env.TOLLGATE_RELEASE_KEY : undefined
}
