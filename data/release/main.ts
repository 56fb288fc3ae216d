import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeArchives } from './archive.ts'
import { createBill } from './bill.ts'
import { writeDebs } from './deb/deb.ts'
import { createFiles } from './files.ts'
import { fetchImagePackages, writeImage } from './image/image.ts'
import { requireAll } from './needs.ts'
import { writeNpmPackages } from './npm/packages.ts'
import { buildPrograms } from './programs.ts'
import { type Release, ReleaseError } from './release.ts'
import { root } from './run.ts'
import { keyFile, readSource } from './source.ts'
import { writeSums } from './sums.ts'

// ./compile.sh --release VERSION: all that people download, into dist/release.

const say = (line: string) => process.stdout.write(`${line}\n`)

async function makeRelease(version: string): Promise<void> {
  await requireAll(version)
  const source = await readSource(version)
  if (source.key === undefined)
    say(
      `There is no ${keyFile}: "tollgate upgrade" of this release will trust no other one, and nobody can check its signatures`,
    )
  say('Fetching what the image has of Debian …')
  const ofDebian = await fetchImagePackages()
  const out = join(root, 'dist/release')
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  say('Listing what is in the program …')
  const bill = await createBill(version)
  await Bun.write(join(out, `tollgate-${version}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`)
  const files = await createFiles(source, bill)
  const programs = await buildPrograms(source, say)
  const release: Release = { version, time: source.time, out, programs, files }
  /** Each from the same programs and files. */
  const parts = [
    ['archives', () => writeArchives(release)],
    ['packages for Debian', () => writeDebs(release)],
    ['packages for npm', () => writeNpmPackages(release)],
    ['the container image', () => writeImage(release, ofDebian)],
  ] as const
  for (const [name, write] of parts) {
    say(`Writing ${name} …`)
    await write()
  }
  await writeSums(out)
  say(`Tollgate ${version} of commit ${source.commit.slice(0, 12)} is in dist/release`)
}

try {
  const { positionals } = parseArgs({ allowPositionals: true })
  await makeRelease(positionals[0] ?? '')
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error
  process.stderr.write(`compile.sh: ${error.message}\n`)
  process.exitCode = 1
}
