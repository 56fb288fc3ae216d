import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ReleaseError } from './release.ts'

export const sumsFile = 'SHA256SUMS'

/** Writes SHA256SUMS of all files of a folder, as `sha256sum --check` reads it. */
export async function writeSums(folder: string): Promise<void> {
  const lines: string[] = []
  for (const name of await filesOf(folder))
    lines.push(`${await sha256(join(folder, name))}  ${name}\n`)
  await Bun.write(join(folder, sumsFile), lines.join(''))
}

/** Throws unless SHA256SUMS of a folder names all of its files, and as they are. */
export async function checkSums(folder: string): Promise<void> {
  const sums = Bun.file(join(folder, sumsFile))
  if (!(await sums.exists()))
    throw new ReleaseError(
      `${folder} has no ${sumsFile}: name the folder of a release, dist/release`,
    )
  const lines = (await sums.text()).trimEnd().split('\n')
  const named = new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]))
  const found = await filesOf(folder)
  const wrong = [
    ...[...named.keys()]
      .filter((name) => !found.includes(name))
      .map((name) => `${name} is missing`),
    ...found.filter((name) => !named.has(name)).map((name) => `${name} is not in ${sumsFile}`),
  ]
  for (const name of found)
    if (named.has(name) && named.get(name) !== (await sha256(join(folder, name))))
      wrong.push(`${name} is another file`)
  if (wrong.length > 0)
    throw new ReleaseError(
      `${folder} is not what was built, so it is not signed: ${wrong.join(', ')}`,
    )
}

/** What is made of the sums afterwards is not among them. */
const made = new Set([sumsFile, 'latest.json'])

const filesOf = async (folder: string) =>
  (await readdir(folder)).filter((name) => !made.has(name.replace(/\.minisig$/, ''))).sort()

async function sha256(file: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(file).stream()) hash.update(chunk)
  return hash.digest('hex')
}
