import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ParsedTarEntryWithData, unpackTar } from 'modern-tar'
import { ReleaseError } from '../release.ts'
import { run, runForBytes } from '../run.ts'

/** A package of Debian, unpacked. */
export interface DebianPackage {
  readonly name: string
  readonly version: string
  /** Its own description, as dpkg keeps it. */
  readonly control: string
  readonly entries: readonly ParsedTarEntryWithData[]
}

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** What says which system this is: os-release(5). */
const systemFile = '/etc/os-release'

/** Throws where apt would take packages that are not Debian's, or could not check them. */
export async function checkMirror(): Promise<void> {
  const system = Bun.file(systemFile)
  complainOfMirror({
    isDebian: (await system.exists()) && /^ID="?debian"?$/m.test(await system.text()),
    mirror: process.env.DEBIAN_MIRROR,
    hasKeys: await Bun.file(keyring).exists(),
  })
}

interface MirrorFacts {
  readonly isDebian: boolean
  readonly mirror: string | undefined
  /** Debian's keys are on this machine. */
  readonly hasKeys: boolean
}

export function complainOfMirror({ isDebian, mirror, hasKeys }: MirrorFacts): void {
  if (!mirror && isDebian) return
  const missing = [
    !mirror && 'DEBIAN_MIRROR must name a mirror of Debian, like https://deb.debian.org/debian',
    mirror && !/^https?:\/\/\S+$/.test(mirror) && `DEBIAN_MIRROR "${mirror}" is no address`,
    !hasKeys && `${keyring} is missing: apt-get install debian-archive-keyring`,
  ].filter(Boolean)
  if (missing.length > 0)
    throw new ReleaseError(`The image is made of packages of Debian: ${missing.join('; ')}`)
}

/**
 * Fetches packages of another architecture by this machine's apt, which checks their signatures; nothing of the
 * machine is changed. DEBIAN_MIRROR names another source than the machine's, for machines that are no Debian.
 */
export async function fetchPackages(
  names: readonly string[],
  architecture: string,
): Promise<readonly DebianPackage[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-release-'))
  try {
    return await fetchInto(folder, names, architecture)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function fetchInto(folder: string, names: readonly string[], architecture: string) {
  const apt = await aptOptions(folder, architecture)
  await run(['apt-get', ...apt, 'update'])
  const fetched = join(folder, 'fetched')
  await mkdir(fetched)
  await run(['apt-get', ...apt, 'download', ...names], { cwd: fetched })
  const files = (await readdir(fetched)).sort()
  return Promise.all(files.map((file) => unpack(join(fetched, file))))
}

async function aptOptions(folder: string, architecture: string): Promise<readonly string[]> {
  const state = join(folder, 'state')
  await mkdir(join(state, 'lists/partial'), { recursive: true })
  await Bun.write(join(state, 'status'), '')
  const mirror = process.env.DEBIAN_MIRROR
  const sources = join(folder, 'sources.list')
  if (mirror) await Bun.write(sources, `deb [signed-by=${keyring}] ${mirror} stable main\n`)
  const options = {
    'Dir::State': state,
    'Dir::State::lists': join(state, 'lists'),
    'Dir::State::status': join(state, 'status'),
    'Dir::Cache': join(folder, 'cache'),
    ...(mirror && { 'Dir::Etc::sourcelist': sources, 'Dir::Etc::sourceparts': '-' }),
    'APT::Architecture': architecture,
    'APT::Architectures::': architecture,
    // The folder is this user's alone.
    'APT::Sandbox::User': '',
  }
  return ['-qq', ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])]
}

async function unpack(file: string): Promise<DebianPackage> {
  const control = await run(['dpkg-deb', '--field', file])
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(control)?.[1] ?? ''
  const tar = await runForBytes(['dpkg-deb', '--fsys-tarfile', file])
  const entries = await unpackTar(tar)
  return { name: field('Package'), version: field('Version'), control, entries }
}
