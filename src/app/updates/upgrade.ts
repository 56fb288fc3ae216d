import { existsSync } from 'node:fs'
import type { CopyProgress } from '../backup/backup.ts'
import { UserError } from '../user-error.ts'
import { fetchProgram } from './fetch-program.ts'
import { findRelease, type Wanted } from './find-release.ts'
import { requireGoingBack } from './go-back.ts'
import type { Release } from './release.ts'
import { previousOf, replaceProgram, swapPrograms } from './replace-program.ts'
import { type Gateway, identify, tryProgram } from './try-program.ts'
import { openWorkshop, requireWritable, type Workshop } from './workshop.ts'

export interface UpgradeParts extends Gateway {
  /** The file of this program. */
  readonly program: string
  readonly installed: string
  /** Whether `program` is another file than the one that runs. */
  readonly isReplaced: () => boolean
  readonly onProgress: (text: string) => void
  readonly onCopy: (at: CopyProgress) => void
  readonly signal?: AbortSignal | undefined
}

/** A program that has proved itself, beside the one that it may replace. */
export interface Prepared {
  readonly version: string
  /** What its `serve --check` said. */
  readonly findings: string
  /** Puts it into place; the one that was there stays as `….previous`. */
  replace(): void
  /** Removes what is not in its place. */
  discard(): void
}

interface NewerParts extends UpgradeParts, Omit<Wanted, 'installed'> {
  readonly target: string
  /** Told before anything is fetched. */
  readonly onFound: (release: Release, archiveBytes: number) => Promise<void> | void
}

/** Fetches the newest release and tries it; undefined: this program is the newest one. */
export async function prepareNewer(parts: NewerParts): Promise<Prepared | undefined> {
  const { program, target } = parts
  const release = await findRelease(parts)
  if (release === undefined) return undefined
  const archive = release.archives[target]
  if (archive === undefined)
    throw new UserError(
      `Tollgate ${release.version} has no archive for ${target}: it has them for ` +
        `${Object.keys(release.archives).join(', ')}. Nothing was changed.`,
    )
  await parts.onFound(release, archive.size)
  return prepare(parts, async ({ folder }) => {
    const made = await fetchProgram({ ...parts, latest: parts.address, archive, folder })
    const { version } = await identify(made)
    if (version !== release.version)
      throw new UserError(
        `The program in the archive says that it is ${version}, not ${release.version}. Nothing was ` +
          'changed: tell who publishes the releases.',
      )
    return { made, version, place: () => replaceProgram(program, made, folder) }
  })
}

/** Tries the program that was kept. Throws a `UserError` where it does not know the database any more. */
export async function prepareBack(parts: UpgradeParts): Promise<Prepared> {
  const { program } = parts
  const made = previousOf(program)
  if (!existsSync(made))
    throw new UserError(
      `There is no program before this one: "tollgate upgrade" keeps it as ${made}. Put the former one ` +
        'there, or into the place of this one.',
    )
  return prepare(parts, async ({ folder }) => {
    const { version, schemaVersion } = await identify(made)
    await requireGoingBack({ ...parts, previous: made, version, schemaVersion })
    return { made, version, place: () => swapPrograms(program, folder) }
  })
}

interface Made {
  readonly made: string
  readonly version: string
  readonly place: () => void
}

async function prepare(
  parts: UpgradeParts,
  make: (workshop: Workshop) => Promise<Made>,
): Promise<Prepared> {
  const { program, signal } = parts
  const workshop = openWorkshop(program)
  signal?.addEventListener('abort', workshop.close)
  try {
    if (parts.isReplaced())
      throw new UserError(`${program} was replaced meanwhile: run this again with the new one.`)
    const { made, version, place } = await make(workshop)
    const findings = await tryProgram({
      ...{ ...parts, program: made, folder: workshop.folder, onProgress: parts.onCopy },
    })
    return {
      ...{ version, findings },
      replace: () => requireWritable(program, place),
      discard: workshop.close,
    }
  } catch (error) {
    workshop.close()
    throw error
  }
}
