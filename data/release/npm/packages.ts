import { join } from 'node:path'
import { about } from '../about.ts'
import { createTar, type Entry, gzip } from '../archive.ts'
import { programName, type Release, type Target } from '../release.ts'
import { root } from '../run.ts'

/** What each package says of the project. */
const { description, license, author, homepage, bugs } = about
const own = { description, license, author, homepage, bugs }

/**
 * Writes the packages for npm: one of each target that holds its program, and `tollgate`, which has them as optional
 * dependencies. npm installs those that fit the system; no script downloads anything.
 */
export async function writeNpmPackages(release: Release): Promise<void> {
  const { version, programs } = release
  for (const [target, program] of programs) {
    const manifest = { name: packageOf(target), version, ...own, ...fitting(target) }
    const file = { name: programName(target), mode: 0o755, bytes: await Bun.file(program).bytes() }
    await write(release, `npm-${target}`, manifest, [file, textsOf(release)].flat())
  }
  const launcher = await Bun.file(join(root, 'data/release/npm/tollgate.js')).bytes()
  const manifest = {
    ...{ name: 'tollgate', version, ...own, type: 'module', bin: { tollgate: 'tollgate.js' } },
    engines: { node: '>=18' },
    optionalDependencies: Object.fromEntries(
      [...programs.keys()].map((target) => [packageOf(target), version]),
    ),
  }
  const file = { name: 'tollgate.js', mode: 0o755, bytes: launcher }
  await write(release, 'npm', manifest, [file, textsOf(release)].flat())
}

const packageOf = (target: Target) => `@tollgate/${nodeNames(target).join('-')}`

/** A target as Node names systems: `win32-x64`, `linux-arm64-musl`. */
function nodeNames(target: Target): readonly string[] {
  const [system = '', ...rest] = target.split('-')
  return [system === 'windows' ? 'win32' : system, ...rest]
}

function fitting(target: Target) {
  const [os = '', cpu = '', libc] = nodeNames(target)
  const libraries = os === 'linux' ? { libc: [libc ?? 'glibc'] } : {}
  return { os: [os], cpu: [cpu], ...libraries }
}

const textsOf = ({ files }: Release): readonly Entry[] =>
  ['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.txt'].flatMap((name) => {
    const bytes = files.get(name)
    return bytes ? [{ name, mode: 0o644, bytes }] : []
  })

/** As `npm pack` writes it: all below `package/`. */
async function write(
  { version, out, time }: Release,
  name: string,
  manifest: object,
  files: readonly Entry[],
): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  const ofPackage = { name: 'package.json', mode: 0o644, bytes: new TextEncoder().encode(text) }
  const entries = [ofPackage, ...files].map((entry) => ({
    ...entry,
    name: `package/${entry.name}`,
  }))
  const path = join(out, `tollgate-${version}-${name}.tgz`)
  await Bun.write(path, gzip(await createTar(entries, time)))
}
