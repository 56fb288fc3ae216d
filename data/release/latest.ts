import { basename } from 'node:path'
import type { Release, ReleaseArchive } from '../../src/app/updates/release.ts'

const archiveName =
  /^tollgate-(?<version>\d.*)-(?<target>(?:linux|darwin|windows)-(?:x64|arm64)(?:-musl)?)\.tar\.gz$/

interface LatestParts {
  /** Paths of `tollgate-VERSION-TARGET.tar.gz`. */
  readonly files: readonly string[]
  readonly notesUrl?: string | undefined
}

/** Makes the latest.json of archives, which lie beside it. Throws unless all are of one release. */
export async function latestOf({ files, notesUrl }: LatestParts): Promise<Release> {
  const archives: Record<string, ReleaseArchive> = {}
  const versions = new Set<string>()
  for (const file of files.toSorted()) {
    const { version, target } = archiveName.exec(basename(file))?.groups ?? {}
    if (version === undefined || target === undefined)
      throw new Error(`${file} is no archive of a release: tollgate-VERSION-TARGET.tar.gz is one.`)
    versions.add(version)
    archives[target] = await archiveOf(file)
  }
  const [version, ...others] = versions
  if (version === undefined || others.length > 0)
    throw new Error(`These are archives of ${versions.size} releases: name those of one.`)
  return {
    version,
    ...(notesUrl !== undefined && { notes_url: notesUrl }),
    archives,
  }
}

async function archiveOf(file: string): Promise<ReleaseArchive> {
  const bytes = await Bun.file(file).bytes()
  const entries = await new Bun.Archive(bytes).files('{tollgate,*/tollgate}')
  const [program] = entries.values()
  if (program === undefined) throw new Error(`There is no program in ${file}.`)
  return { url: basename(file), ...sized(bytes), program: sized(await program.bytes()) }
}

const sized = (bytes: Uint8Array) => ({
  size: bytes.length,
  sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
})
