import { statfs } from 'node:fs/promises'
import { checkChangelog } from './changelog.ts'
import { checkMirror } from './image/debian-packages.ts'
import { ReleaseError } from './release.ts'
import { ownFile, root } from './run.ts'
import { checkTags, checkTree, checkVersion, readKey } from './source.ts'

/** What a release takes of other programs, and what brings them. */
const tools = {
  git: 'git',
  'apt-get': 'apt: the image is made of packages of Debian, so a release needs Debian or Ubuntu',
  'dpkg-deb': 'dpkg',
}

/** Programs, archives, packages, image and the runtimes of all targets: what two runs took, and a little more. */
const neededBytes = 6e9

/** All that must be so before anything is built. */
const needs: readonly ((version: string) => unknown)[] = [
  checkTools,
  checkVersion,
  async (version) => checkChangelog(version, await ownFile('CHANGELOG.md').text()),
  checkTree,
  checkTags,
  readKey,
  checkMirror,
  checkRoom,
]

/** Throws with all that is missing for a release, at once. */
export async function requireAll(version: string, all = needs): Promise<void> {
  const missing: string[] = []
  for (const check of all)
    try {
      await check(version)
    } catch (error) {
      if (!(error instanceof ReleaseError)) throw error
      missing.push(error.message)
    }
  if (missing.length === 0) return
  const list = missing.map((one) => `\n- ${one.replaceAll('\n', '\n  ')}`).join('')
  throw new ReleaseError(`Nothing was built. This is missing for a release:${list}`)
}

function checkTools(): void {
  const missing = Object.entries(tools).filter(([name]) => Bun.which(name) === null)
  if (missing.length === 0) return
  const named = missing.map(([name, source]) => `${name} (of ${source})`)
  throw new ReleaseError(`These programs are not installed: ${named.join('; ')}`)
}

async function checkRoom(): Promise<void> {
  const { bavail, bsize } = await statfs(root)
  if (bavail * bsize >= neededBytes) return
  const inGigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
  throw new ReleaseError(
    `${root} has ${inGigabytes(bavail * bsize)} of room, and a release takes ${inGigabytes(neededBytes)}: make room there`,
  )
}
