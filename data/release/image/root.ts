import { type Entry, withFolders } from '../archive.ts'
import type { DebianPackage } from './debian-packages.ts'

/** The user of the container: a number, so that "must not be root" can be checked. */
export const imageUser = 10_001
export const dataFolder = '/var/lib/tollgate'

/** What the program needs of a system: its C library, certificates and time zones. */
export const imagePackages = ['libc6', 'ca-certificates', 'tzdata'] as const

/** Parts of these packages that no program of the image reads. */
const unneeded =
  /^(usr\/lib\/[^/]+\/(gconv|audit)\/|usr\/sbin\/|usr\/share\/(doc\/(?!.*copyright)|lintian|man|locale))/
const certificates = 'usr/share/ca-certificates/mozilla/'

/** The layer below the program: the packages' files, with what their scripts would have made. */
export function rootEntries(packages: readonly DebianPackage[]): readonly Entry[] {
  const files = packages.flatMap(({ entries }) => entries.flatMap(fileOf))
  return withFolders([
    ...files,
    // Since Debian 12 all libraries lie below /usr.
    ...['lib', 'lib64'].map((name) => ({ name, mode: 0o777, link: `usr/${name}` })),
    textFile('etc/ssl/certs/ca-certificates.crt', bundleOf(files)),
    textFile(
      'etc/passwd',
      `root:x:0:0:root:/:/sbin/nologin\ntollgate:x:${imageUser}:${imageUser}::${dataFolder}:/sbin/nologin\n`,
    ),
    textFile('etc/group', `root:x:0:\ntollgate:x:${imageUser}:\n`),
    textFile('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    // Scanners look up here what is inside.
    ...packages.map(({ name, control }) => textFile(`var/lib/dpkg/status.d/${name}`, control)),
    // What an engine mounts.
    ...['proc/', 'dev/', 'sys/'].map((name) => ({ name, mode: 0o555 })),
    { name: 'tmp/', mode: 0o1777 },
    { name: `${dataFolder.slice(1)}/`, mode: 0o700, owner: imageUser },
  ])
}

function fileOf({ header, data }: DebianPackage['entries'][number]): readonly Entry[] {
  const name = header.name.replace(/^\.\//, '').replace(/^(lib|lib64)\//, 'usr/$1/')
  const mode = header.mode ?? 0o644
  if (unneeded.test(name)) return []
  if (header.type === 'symlink') return [{ name, mode: 0o777, link: header.linkname ?? '' }]
  return header.type === 'file' ? [{ name, mode, bytes: data ?? new Uint8Array() }] : []
}

/** As update-ca-certificates makes it: all certificates, one after the other. */
function bundleOf(files: readonly Entry[]): string {
  const found = files.filter(({ name }) => name.startsWith(certificates))
  const texts = found
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ bytes }) => new TextDecoder().decode(bytes).trimEnd())
  return `${texts.join('\n')}\n`
}

const textFile = (name: string, text: string): Entry => ({
  ...{ name, mode: 0o644, bytes: new TextEncoder().encode(text) },
})
