/** What programs are built for, as archives and packages name it. Bun's own name has `bun-` before it. */
export const targets = [
  'linux-x64',
  'linux-arm64',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'windows-x64',
] as const

export type Target = (typeof targets)[number]

/** All that the parts of a release are made from: archives, image, packages. */
export interface Release {
  readonly version: string
  /** Seconds: the time of each file, that of the commit. */
  readonly time: number
  /** Folder of finished files (dist/release). */
  readonly out: string
  /** The compiled program of each target. */
  readonly programs: ReadonlyMap<Target, string>
  /** What each archive has beside the program: name in the archive → bytes. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** Something that can't be released, said to whoever releases. */
export class ReleaseError extends Error {}

/** The program's file name on a target. */
export const programName = (target: Target): string =>
  target.startsWith('windows-') ? 'tollgate.exe' : 'tollgate'
