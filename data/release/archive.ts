import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { type ZipOptions, zipSync } from 'fflate'
import { packTar } from 'modern-tar'
import { programName, type Release, type Target } from './release.ts'

/** A file of an archive; a folder where the name ends with a slash. */
export interface Entry {
  readonly name: string
  /** Unix permissions: 0o644. */
  readonly mode: number
  readonly bytes?: Uint8Array
  /** What a symbolic link leads to; only in a tar. */
  readonly link?: string
  /** User and group by number, in a tar; left out: root. */
  readonly owner?: number
}

/** A tar whose bytes depend on nothing but what it is given: sorted, of root, all of one time. */
export const createTar = (entries: readonly Entry[], time: number): Promise<Uint8Array> =>
  packTar(
    sorted(entries).map(({ name, mode, bytes, link, owner = 0 }) => ({
      header: {
        ...{ name, mode, size: bytes?.length ?? 0, mtime: new Date(time * 1000) },
        ...{ uid: owner, gid: owner, ...(owner === 0 && { uname: 'root', gname: 'root' }) },
        ...(link === undefined
          ? { type: name.endsWith('/') ? 'directory' : 'file' }
          : { type: 'symlink', linkname: link }),
      },
      body: bytes,
    })),
  )

/** Such a zip. */
export function createZip(entries: readonly Entry[], time: number): Uint8Array {
  // A zip has local times: the local one that reads as the time in UTC does.
  const utc = new Date(time * 1000)
  const mtime = new Date(time * 1000 + utc.getTimezoneOffset() * 60_000)
  const unix = 3
  return zipSync(
    Object.fromEntries(
      sorted(entries).map(({ name, mode, bytes = new Uint8Array() }): ZipEntry => {
        const isFolder = name.endsWith('/')
        const type = isFolder ? 0o040000 : 0o100000
        return [
          name,
          [bytes, { mtime, os: unix, attrs: ((type | mode) << 16) | (isFolder ? 16 : 0) }],
        ]
      }),
    ),
    { level: 6 },
  )
}

type ZipEntry = [string, [Uint8Array, ZipOptions & { attrs: number; os: number }]]

/** By name, byte for byte: a folder is before what it holds. */
const sorted = (entries: readonly Entry[]) =>
  entries.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))

/** Without the time of compression. */
export const gzip = (bytes: Uint8Array): Uint8Array => gzipSync(bytes, { level: 9 })

/** Higher levels take minutes for a hundredth. */
export const zstd = (bytes: Uint8Array): Uint8Array =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 9 } })

/** Writes the archives of all targets. Each holds one folder, named as the archive. */
export async function writeArchives({
  version,
  time,
  out,
  programs,
  files,
}: Release): Promise<void> {
  await mkdir(out, { recursive: true })
  for (const [target, program] of programs) {
    const folder = `tollgate-${version}-${target}`
    const entries = entriesOf(folder, { target, program: await Bun.file(program).bytes(), files })
    const write = (ending: string, bytes: Uint8Array) =>
      Bun.write(join(out, folder + ending), bytes)
    if (target.startsWith('windows-')) await write('.zip', createZip(entries, time))
    else {
      const tar = await createTar(entries, time)
      await write('.tar.gz', gzip(tar))
      if (target.startsWith('linux-')) await write('.tar.zst', zstd(tar))
    }
  }
}

/** All that an archive holds, with its folders. */
export function entriesOf(
  folder: string,
  { target, program, files }: { target: Target; program: Uint8Array; files: Release['files'] },
): readonly Entry[] {
  const held: Entry[] = [
    { name: `${folder}/${programName(target)}`, mode: 0o755, bytes: program },
    ...[...files].map(([name, bytes]) => ({ name: `${folder}/${name}`, mode: 0o644, bytes })),
  ]
  return withFolders(held)
}

/** With each folder that a name goes through, unless it is there. */
export function withFolders(entries: readonly Entry[]): readonly Entry[] {
  const known = new Set(entries.map(({ name }) => name))
  const folders = new Set(
    entries.flatMap(({ name }) => {
      const parts = name.replace(/\/$/, '').split('/').slice(0, -1)
      return parts.map((_, at) => `${parts.slice(0, at + 1).join('/')}/`)
    }),
  )
  const missing = [...folders].filter((name) => !known.has(name))
  return [...entries, ...missing.map((name) => ({ name, mode: 0o755 }))]
}
