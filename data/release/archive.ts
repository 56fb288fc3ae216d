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
}

/** A tar whose bytes depend on nothing but what it is given: sorted, of root, all of one time. */
export const createTar = (entries: readonly Entry[], time: number): Promise<Uint8Array> =>
  packTar(
    sorted(entries).map(({ name, mode, bytes }) => ({
      header: {
        ...{ name, mode, size: bytes?.length ?? 0, mtime: new Date(time * 1000) },
        ...{ uid: 0, gid: 0, uname: 'root', gname: 'root' },
        type: name.endsWith('/') ? 'directory' : 'file',
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
    { level: 9 },
  )
}

type ZipEntry = [string, [Uint8Array, ZipOptions & { attrs: number; os: number }]]

/** By name, byte for byte: a folder is before what it holds. */
const sorted = (entries: readonly Entry[]) =>
  entries.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))

/** Without the time of compression. */
export const gzip = (bytes: Uint8Array): Uint8Array => gzipSync(bytes, { level: 9 })

export const zstd = (bytes: Uint8Array): Uint8Array =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } })

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
  const folders = new Set(
    held.flatMap(({ name }) => {
      const parts = name.split('/').slice(0, -1)
      return parts.map((_, at) => `${parts.slice(0, at + 1).join('/')}/`)
    }),
  )
  return [...held, ...[...folders].map((name) => ({ name, mode: 0o755 }))]
}
