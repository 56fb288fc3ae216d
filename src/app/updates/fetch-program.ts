import { chmodSync } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { failureCode, messageOf } from '../../lib/failure.ts'
import { humanBytes } from '../../lib/format.ts'
import { freeIn, isFull } from '../backup/backup.ts'
import { UserError } from '../user-error.ts'
import { readAddress } from './read-address.ts'
import { describeAddress, mayLeadTo, type ReleaseArchive } from './release.ts'

interface FetchParts {
  /** What the archive's address is relative to. */
  readonly latest: URL
  readonly archive: ReleaseArchive
  /** Where both files may be written. */
  readonly folder: string
  readonly onProgress: (text: string) => void
  readonly signal?: AbortSignal | undefined
  readonly silenceMs?: number
}

/** The program's name in an archive, which has a folder of the release around it or none. */
const programName = 'tollgate'

/** Fetches an archive and takes the program out of it, both checked; returns the program's path. */
export async function fetchProgram(parts: FetchParts): Promise<string> {
  const { folder, archive } = parts
  const neededBytes = archive.size + archive.program.size
  const freeBytes = await freeIn(folder)
  if (freeBytes !== undefined && freeBytes < neededBytes)
    throw noRoom(folder, neededBytes, `${humanBytes(freeBytes)} are free`)
  try {
    return await takeOut(await download(parts), parts)
  } catch (error) {
    if (!isFull(error)) throw error
    throw noRoom(folder, neededBytes, 'there is less')
  }
}

const noRoom = (folder: string, neededBytes: number, free: string) =>
  new UserError(
    `There is no room in ${folder}: ${humanBytes(neededBytes)} are needed, and ${free}. Nothing was ` +
      'changed: make room there, and run this again.',
  )

async function download(parts: FetchParts): Promise<string> {
  const { latest, archive, folder, onProgress } = parts
  const address = URL.parse(archive.url, latest.href)
  if (address === null || !mayLeadTo(latest, address))
    throw new UserError(
      `The release names "${archive.url}" as its archive, which is no address with https://. Nothing was ` +
        'changed: tell who publishes the releases.',
    )
  const file = join(folder, 'archive.tar.gz')
  const hash = new Bun.CryptoHasher('sha256')
  let doneBytes = 0
  await using written = await open(file, 'wx', 0o600)
  for await (const chunk of readAddress(address, { ...parts, mostBytes: archive.size })) {
    hash.update(chunk)
    await written.writeFile(chunk)
    doneBytes += chunk.length
    const percent = Math.floor((doneBytes / archive.size) * 100)
    onProgress(`${percent} %: ${humanBytes(doneBytes)} of ${humanBytes(archive.size)} fetched`)
  }
  if (doneBytes < archive.size)
    throw new UserError(
      `${describeAddress(address)} ended after ${humanBytes(doneBytes)} of ${humanBytes(archive.size)}. Nothing was ` +
        'changed: run this again.',
    )
  requireHash(describeAddress(address), hash.digest('hex'), archive.sha256)
  return file
}

function requireHash(what: string, found: string, wanted: string): void {
  if (found === wanted) return
  throw new UserError(
    `${what} is not what was signed: its SHA-256 is ${found}, and not ${wanted}. Nothing was changed. Run ` +
      'this again; if it stays so, tell who publishes the releases.',
  )
}

async function takeOut(archive: string, { folder, ...parts }: FetchParts): Promise<string> {
  parts.onProgress('unpacking')
  const bytes = await Bun.file(archive).bytes()
  try {
    await new Bun.Archive(bytes).extract(folder, { glob: [programName, `*/${programName}`] })
  } catch (cause) {
    // It does not say which part failed, and its hash was right.
    const free = await freeIn(folder)
    throw new UserError(
      `The archive could not be unpacked to ${folder} (${messageOf(cause)}), where ` +
        `${humanBytes(free ?? 0)} are free and ` +
        `${humanBytes(parts.archive.program.size)} needed. Nothing was changed: make room, and run this again.`,
      { cause },
    )
  }
  await rm(archive)
  const [found = programName] = await Array.fromAsync(
    new Bun.Glob(`**/${programName}`).scan(folder),
  )
  const program = join(folder, found)
  const size = await sizeOf(program)
  const { program: wanted } = parts.archive
  if (size !== wanted.size)
    throw new UserError(
      `The program could not be unpacked to ${folder}: ${size ?? 0} bytes of ${wanted.size} are there. ` +
        'Nothing was changed. Check the room there, and run this again.',
    )
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(program).stream()) hash.update(chunk)
  requireHash('The program in the archive', hash.digest('hex'), wanted.sha256)
  chmodSync(program, 0o755)
  return program
}

const sizeOf = (file: string) =>
  stat(file).then(
    (found) => (found.isFile() ? found.size : undefined),
    (error) => {
      if (failureCode(error) === 'ENOENT') return undefined
      throw error
    },
  )
