import { join } from 'node:path'
import { about } from '../about.ts'
import { createTar, type Entry, gzip, withFolders } from '../archive.ts'
import { type Release, ReleaseError, type Target } from '../release.ts'
import { root } from '../run.ts'

/** The packages' architectures, as Debian and the program's targets name them. */
const architectures = [
  { architecture: 'amd64', target: 'linux-x64' },
  { architecture: 'arm64', target: 'linux-arm64' },
] as const satisfies readonly { architecture: string; target: Target }[]

const scripts = ['postinst', 'prerm', 'postrm'] as const
const configFile = 'etc/tollgate/tollgate.yaml'

/** Writes a package for Debian and Ubuntu for each architecture. */
export async function writeDebs(release: Release): Promise<void> {
  for (const { architecture, target } of architectures) {
    const installed = await installedFiles(release, target)
    const data = await createTar(withFolders(installed).map(below), release.time)
    const control = await createTar(
      await controlFiles(release, architecture, installed),
      release.time,
    )
    const name = `tollgate_${debianVersion(release)}_${architecture}.deb`
    const members = [
      ['debian-binary', new TextEncoder().encode('2.0\n')],
      ['control.tar.gz', gzip(control)],
      ['data.tar.gz', gzip(data)],
    ] as const
    await Bun.write(join(release.out, name), createAr(members, release.time))
  }
}

/** A tilde sorts before nothing: a pre-release is older than its release. */
const debianVersion = ({ version }: Release) => version.replace('-', '~')

/** dpkg wants names that begin with a dot. */
const below = (entry: Entry): Entry => ({ ...entry, name: `./${entry.name}` })

async function installedFiles(release: Release, target: Target): Promise<readonly Entry[]> {
  const program = release.programs.get(target)
  if (program === undefined) throw new ReleaseError(`There is no program for ${target}`)
  const text = (name: string) => {
    const bytes = release.files.get(name)
    if (bytes === undefined) throw new ReleaseError(`The release has no file ${name}`)
    return new TextDecoder().decode(bytes)
  }
  const replaced = (name: string, from: string, to: string) => {
    if (!text(name).includes(from)) throw new ReleaseError(`${name} does not say ${from}`)
    return text(name).replaceAll(from, to)
  }
  const packed = (name: string) => gzip(new TextEncoder().encode(text(name)))
  const share = 'usr/share'
  const manPages = [...release.files.keys()].filter((name) => name.startsWith('man/'))
  const files: readonly (readonly [name: string, content: string | Uint8Array])[] = [
    [configFile, replaced('tollgate.example.yaml', 'sqlite:./', 'sqlite:/var/lib/tollgate/')],
    [
      'usr/lib/systemd/system/tollgate.service',
      replaced('tollgate.service', '/usr/local/bin/', '/usr/bin/'),
    ],
    [`${share}/doc/tollgate/copyright`, `${text('LICENSE')}\n${text('THIRD-PARTY-NOTICES.txt')}`],
    [`${share}/doc/tollgate/changelog.gz`, packed('CHANGELOG.md')],
    [`${share}/doc/tollgate/README.md`, text('README.md')],
    [`${share}/bash-completion/completions/tollgate`, text('completions/tollgate.bash')],
    [`${share}/zsh/vendor-completions/_tollgate`, text('completions/_tollgate')],
    [`${share}/fish/vendor_completions.d/tollgate.fish`, text('completions/tollgate.fish')],
    ...manPages.map((name) => [`${share}/man/man1/${name.slice(4)}.gz`, packed(name)] as const),
  ]
  const bytesOf = (content: string | Uint8Array) =>
    typeof content === 'string' ? new TextEncoder().encode(content) : content
  return [
    { name: 'usr/bin/tollgate', mode: 0o755, bytes: await Bun.file(program).bytes() },
    ...files.map(([name, content]) => ({
      // Keys may be written into the configuration.
      ...{ name, mode: name === configFile ? 0o640 : 0o644, bytes: bytesOf(content) },
    })),
  ]
}

async function controlFiles(
  release: Release,
  architecture: string,
  installed: readonly Entry[],
): Promise<readonly Entry[]> {
  const kilobytes = installed.reduce(
    (sum, { bytes }) => sum + Math.ceil((bytes?.length ?? 0) / 1024),
    0,
  )
  const control = [
    'Package: tollgate',
    `Version: ${debianVersion(release)}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${about.author}`,
    ...(about.homepage === undefined ? [] : [`Homepage: ${about.homepage}`]),
    ...(about.bugs === undefined ? [] : [`Bugs: ${about.bugs}`]),
    `Installed-Size: ${kilobytes}`,
    'Depends: libc6 (>= 2.31), passwd',
    'Recommends: ca-certificates',
    'Section: net',
    'Priority: optional',
    'Description: LLM gateway with a price on every model',
    ' Clients of four protocols ask one address; requests go to upstream channels, and',
    ' each is charged to a prepaid balance. One program with a console and a price feed.',
  ]
  const sums = installed
    .filter(({ name }) => name !== configFile)
    .map(
      ({ name, bytes }) =>
        `${new Bun.CryptoHasher('md5').update(bytes ?? '').digest('hex')}  ${name}`,
    )
  const files: readonly (readonly [name: string, text: string, mode: number])[] = [
    ['control', `${control.join('\n')}\n`, 0o644],
    ['conffiles', `/${configFile}\n`, 0o644],
    ['md5sums', `${sums.join('\n')}\n`, 0o644],
    ...(await Promise.all(
      scripts.map(async (name) => {
        const text = await Bun.file(join(root, 'data/release/deb', name)).text()
        return [name, text, 0o755] as const
      }),
    )),
  ]
  return files.map(([name, text, mode]) => ({
    ...{ name: `./${name}`, mode, bytes: new TextEncoder().encode(text) },
  }))
}

/** The container of a Debian package: deb(5). */
function createAr(members: readonly (readonly [name: string, bytes: Uint8Array])[], time: number) {
  const parts: Uint8Array[] = [new TextEncoder().encode('!<arch>\n')]
  for (const [name, bytes] of members) {
    const fields = [
      ...[name.padEnd(16), String(time).padEnd(12), '0'.padEnd(6), '0'.padEnd(6)],
      ...['100644'.padEnd(8), String(bytes.length).padEnd(10), '`\n'],
    ]
    parts.push(new TextEncoder().encode(fields.join('')), bytes)
    if (bytes.length % 2 === 1) parts.push(new Uint8Array([10]))
  }
  return Buffer.concat(parts)
}
