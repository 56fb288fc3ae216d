import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseRelease, type Release, type ReleaseArchive } from '../../src/app/updates/release.ts'
import { nameOf } from '../../src/lib/minisign.ts'
import { publicLine, type SecretKey } from './minisign.ts'
import { ReleaseError } from './release.ts'

const archiveName =
  /^tollgate-(?<version>\d.*)-(?<target>(?:linux|darwin|windows)-(?:x64|arm64)(?:-musl)?)\.tar\.gz$/

interface LatestParts {
  /** Paths of `tollgate-VERSION-TARGET.tar.gz`. */
  readonly files: readonly string[]
  readonly notesUrl?: string | undefined
  /** When it is made, in milliseconds. */
  readonly now: number
}

/** The archives in a folder that `tollgate upgrade` fetches. */
export const archivesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => archiveName.test(name)).map((name) => join(folder, name))

/** Makes the latest.json of archives, which lie beside it. Throws unless all are of one release. */
export async function latestOf({ files, notesUrl, now }: LatestParts): Promise<Release> {
  const archives: Record<string, ReleaseArchive> = {}
  const versions = new Set<string>()
  for (const file of files.toSorted()) {
    const { version, target } = archiveName.exec(basename(file))?.groups ?? {}
    if (version === undefined || target === undefined)
      throw new ReleaseError(
        `${file} is no archive of a release: tollgate-VERSION-TARGET.tar.gz is one.`,
      )
    versions.add(version)
    archives[target] = await archiveOf(file)
  }
  const [version, ...others] = versions
  if (version === undefined || others.length > 0)
    throw new ReleaseError(`These are archives of ${versions.size} releases: name those of one.`)
  const release: Release = {
    version,
    made_at: new Date(now).toISOString(),
    ...(notesUrl !== undefined && { notes_url: notesUrl }),
    archives,
  }
  if (parseRelease(JSON.stringify(release)) === undefined)
    throw new ReleaseError(
      `No program could read this list: ${JSON.stringify({ version, notes_url: notesUrl })}. An address begins with ` +
        'https:// and has neither spaces nor control characters.',
    )
  return release
}

async function archiveOf(file: string): Promise<ReleaseArchive> {
  const bytes = await Bun.file(file).bytes()
  return { url: basename(file), ...sized(bytes), program: sized(await programOf(file, bytes)) }
}

async function programOf(file: string, bytes: Uint8Array): Promise<Uint8Array> {
  const entries = await new Bun.Archive(bytes).files('{tollgate,*/tollgate}')
  const [program] = entries.values()
  if (program === undefined) throw new ReleaseError(`There is no program in ${file}.`)
  return program.bytes()
}

const sized = (bytes: Uint8Array) => ({
  size: bytes.length,
  sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
})

/**
 * Throws where a program of an archive does not trust a key: it would refuse the next release. Its public key is looked
 * for in the program itself, where the build has put it.
 */
export async function requireTrust(files: readonly string[], key: SecretKey): Promise<void> {
  const line = publicLine(key)
  for (const file of files) {
    const program = Buffer.from(await programOf(file, await Bun.file(file).bytes()))
    if (!program.includes(line))
      throw new ReleaseError(
        `The program in ${file} was built for another key than ${nameOf(key.id)}, or for none: it would refuse all ` +
          `that is signed with this one. Sign with the secret key of its own, or build it with TOLLGATE_RELEASE_KEY=${line}`,
      )
  }
}
