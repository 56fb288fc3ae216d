import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unpackTar } from 'modern-tar'
import { writeDebs } from '../../data/release/deb/deb.ts'
import { rootEntries } from '../../data/release/image/root.ts'
import { writeNpmPackages } from '../../data/release/npm/packages.ts'
import { programName, type Release, type Target, targets } from '../../data/release/release.ts'
import manifest from '../../package.json'
import { createTempDir } from '../support/temp-dir.ts'

/** A release whose programs are scripts, and what one writer makes of it: file → bytes. */
async function made(write: (release: Release) => Promise<unknown>, version = '1.2.3-rc.1') {
  using folder = createTempDir('tollgate-packages')
  const programs = new Map<Target, string>()
  for (const target of targets) {
    const file = join(folder.path, target, programName(target))
    await Bun.write(file, `#!/bin/sh\necho ${target} "$@"\n`)
    programs.set(target, file)
  }
  const texts = {
    ...{ LICENSE: 'a', 'THIRD-PARTY-NOTICES.txt': 'b', 'README.md': 'c', 'CHANGELOG.md': 'd' },
    ...{ 'completions/tollgate.bash': 'e', 'completions/_tollgate': 'f' },
    ...{ 'completions/tollgate.fish': 'g', 'man/tollgate.1': 'h' },
    'tollgate.example.yaml': 'store:\n  url: sqlite:./tollgate.db\n',
    'tollgate.service': 'ExecStart=/usr/local/bin/tollgate serve\n',
  }
  const files = new Map(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]))
  const out = join(folder.path, 'out')
  mkdirSync(out)
  await write({ version, time: 1_790_000_000, out, programs, files })
  return new Map(readdirSync(out).map((name) => [name, readFileSync(join(out, name))] as const))
}

const untar = async (bytes: Uint8Array) =>
  (await unpackTar(bytes)).map(({ header, data }) => ({
    ...{ name: header.name, mode: header.mode, type: header.type },
    text: new TextDecoder().decode(data),
  }))

/** The members of an ar archive. */
function unar(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const members = new Map<string, Buffer>()
  expect(bytes.subarray(0, 8).toString()).toBe('!<arch>\n')
  for (let at = 8; at < bytes.length; ) {
    const size = Number(bytes.subarray(at + 48, at + 58).toString())
    const name = bytes
      .subarray(at, at + 16)
      .toString()
      .trim()
    members.set(name, bytes.subarray(at + 60, at + 60 + size))
    at += 60 + size + (size % 2)
  }
  return members
}

test('a package for Debian has the program, its unit, its data elsewhere than its configuration', async () => {
  const debs = await made(writeDebs)
  expect([...debs.keys()].sort()).toEqual([
    'tollgate_1.2.3~rc.1_amd64.deb',
    'tollgate_1.2.3~rc.1_arm64.deb',
  ])
  expect(debs).toEqual(await made(writeDebs))
  const members = unar(debs.get('tollgate_1.2.3~rc.1_arm64.deb') ?? Buffer.alloc(0))
  expect([...members.keys()]).toEqual(['debian-binary', 'control.tar.gz', 'data.tar.gz'])
  const [control, data] = await Promise.all(
    ['control.tar.gz', 'data.tar.gz'].map((name) =>
      untar(Bun.gunzipSync(new Uint8Array(members.get(name) ?? []))),
    ),
  )
  const inside = (name: string) => data?.find((one) => one.name === `./${name}`)
  expect(inside('usr/bin/tollgate')).toMatchObject({
    mode: 0o755,
    text: expect.stringContaining('linux-arm64'),
  })
  expect(inside('etc/tollgate/tollgate.yaml')).toMatchObject({
    mode: 0o640,
    text: expect.stringContaining('sqlite:/var/lib/tollgate/tollgate.db'),
  })
  expect(inside('usr/lib/systemd/system/tollgate.service')?.text).toBe(
    'ExecStart=/usr/bin/tollgate serve\n',
  )
  const text = control?.find(({ name }) => name === './control')?.text
  expect(text).toContain(
    `Version: 1.2.3~rc.1\nArchitecture: arm64\nMaintainer: ${manifest.author}\n`,
  )
  expect(text).not.toContain('example.com')
  const scripts = control?.filter(({ text }) => text.startsWith('#!'))
  expect(scripts?.map(({ name, mode }) => [name, mode])).toEqual([
    ['./postinst', 0o755],
    ['./postrm', 0o755],
    ['./prerm', 0o755],
  ])
})

const configFile = '/etc/tollgate/tollgate.yaml'

test.skipIf(existsSync(configFile))(
  'a package for Debian is set up again where its configuration was deleted',
  async () => {
    using folder = createTempDir('tollgate-postinst')
    const called = join(folder.path, 'called')
    for (const name of ['getent', 'useradd', 'install', 'chgrp', 'systemctl'])
      writeFileSync(join(folder.path, name), `#!/bin/sh\necho ${name} "$@" >>${called}\n`, {
        mode: 0o755,
      })
    const script = join(import.meta.dir, '../../data/release/deb/postinst')
    const env = { PATH: folder.path }
    const child = Bun.spawnSync(['/bin/sh', script, 'configure', '1.2.2'], { env })
    expect([child.exitCode, child.stderr.toString()]).toEqual([0, ''])
    const lines = readFileSync(called, 'utf8')
    expect(lines).toContain('install -d -m 0700 -o tollgate -g tollgate /var/lib/tollgate\n')
    expect(lines).not.toContain(configFile)
  },
)

test('npm installs the program that fits the system, and runs it with the words it is given', async () => {
  const packages = await made(writeNpmPackages)
  expect(packages).toEqual(await made(writeNpmPackages))
  using folder = createTempDir('tollgate-npm')
  const manifests = new Map<string, Record<string, unknown>>()
  for (const bytes of packages.values()) {
    const entries = await untar(Bun.gunzipSync(new Uint8Array(bytes)))
    const text = entries.find(({ name }) => name === 'package/package.json')?.text ?? ''
    const { name } = JSON.parse(text)
    manifests.set(name, JSON.parse(text))
    for (const { name: path, text, mode = 0, type } of entries)
      if (type === 'file') {
        const file = join(folder.path, 'node_modules', name, path.slice('package/'.length))
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, text, { mode })
      }
  }
  const { optionalDependencies } = manifests.get('tollgate') ?? {}
  const names = [...manifests.keys()].filter((name) => name !== 'tollgate').sort()
  expect(optionalDependencies).toEqual(
    Object.fromEntries(names.map((name) => [name, '1.2.3-rc.1'])),
  )
  expect(manifests.get('@tollgate/linux-x64-musl')).toMatchObject({
    os: ['linux'],
    cpu: ['x64'],
    libc: ['musl'],
  })
  expect(manifests.get('@tollgate/win32-x64')).toMatchObject({ os: ['win32'], cpu: ['x64'] })
  const launcher = join(folder.path, 'node_modules/tollgate/tollgate.js')
  const child = Bun.spawn([process.execPath, launcher, 'serve', '--check'], { stdout: 'pipe' })
  expect(await child.stdout.text()).toBe(`${process.platform}-${process.arch} serve --check\n`)
  // Both programs for Linux are there, as an old npm leaves them: the C library decides.
  const onMusl = join(folder.path, 'on-musl.js')
  writeFileSync(
    onMusl,
    `process.report.getReport = () => ({ header: {} })\nawait import(${JSON.stringify(launcher)})\n`,
  )
  const other = Bun.spawn([process.execPath, onMusl, 'demo'], { stdout: 'pipe' })
  const libc = process.platform === 'linux' ? '-musl' : ''
  expect(await other.stdout.text()).toBe(`${process.platform}-${process.arch}${libc} demo\n`)
})

test('the root of the image has one user, and nothing for which there is no program', () => {
  const file = (name: string, text = '') => ({
    header: { name, mode: 0o644, size: text.length, type: 'file' as const },
    data: new TextEncoder().encode(text),
  })
  const entries = rootEntries([
    {
      ...{ name: 'libc6', version: '2.36', control: 'Package: libc6\n' },
      entries: [
        file('./lib/x86_64-linux-gnu/libc.so.6'),
        file('./usr/lib/x86_64-linux-gnu/gconv/BIG5.so'),
        { header: { name: './lib64/ld.so', size: 0, type: 'symlink', linkname: '/lib/ld.so' } },
      ],
    },
    {
      ...{ name: 'ca-certificates', version: '1', control: 'Package: ca-certificates\n' },
      entries: [
        file('./usr/share/ca-certificates/mozilla/B.crt', 'two\n'),
        file('./usr/share/ca-certificates/mozilla/A.crt', 'one\n'),
        file('./usr/sbin/update-ca-certificates'),
      ],
    },
  ])
  const named = new Map(entries.map((entry) => [entry.name, entry]))
  const textOf = (name: string) => new TextDecoder().decode(named.get(name)?.bytes)
  expect(textOf('etc/ssl/certs/ca-certificates.crt')).toBe('one\ntwo\n')
  expect(named.get('usr/lib64/ld.so')).toMatchObject({ link: '/lib/ld.so' })
  expect(named.get('lib64')).toMatchObject({ link: 'usr/lib64' })
  expect(named.has('usr/lib/x86_64-linux-gnu/libc.so.6')).toBe(true)
  expect([...named.keys()].filter((name) => /gconv|sbin\//.test(name))).toEqual([])
  expect(textOf('etc/passwd')).toContain('tollgate:x:10001:10001:')
  expect(named.get('var/lib/tollgate/')).toMatchObject({ mode: 0o700, owner: 10_001 })
})
