import { describe, expect, test } from 'bun:test'
import { unzipSync } from 'fflate'
import { unpackTar } from 'modern-tar'
import { createTar, createZip, type Entry, entriesOf, gzip } from '../../data/release/archive.ts'
import { writeSums } from '../../data/release/sums.ts'
import { createTempDir } from '../support/temp-dir.ts'

const time = 1_795_737_601
const text = (value: string) => new TextEncoder().encode(value)
const files = new Map([
  ['README.md', text('Read me.')],
  ['man/tollgate.1', text('.TH')],
])
const entries = (target: 'linux-x64' | 'windows-x64') =>
  entriesOf('tollgate-1.2.3', { target, program: text('#!/bin/sh\necho hello\n'), files })

/** Runs in another zone of time, and comes back. */
function inZone<Result>(zone: string, make: () => Result): Result {
  const before = process.env.TZ
  process.env.TZ = zone
  try {
    return make()
  } finally {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  }
}

describe('an archive of a release', () => {
  test('has the same bytes for any order of files, at any time and place', async () => {
    const tar = (all: readonly Entry[]) => createTar(all, time)
    const zip = (all: readonly Entry[]) => createZip(all, time)
    const all = entries('linux-x64')
    const turned = all.toReversed()
    expect(await tar(turned)).toEqual(await tar(all))
    expect(inZone('Asia/Kathmandu', () => zip(turned))).toEqual(inZone('UTC', () => zip(all)))
    expect(gzip(await tar(all)).slice(4, 8)).toEqual(new Uint8Array(4))
  })

  test('holds one folder, of root, in which only the program can be run', async () => {
    const held = await unpackTar(await createTar(entries('linux-x64'), time))
    expect(
      held.map(({ header: { name, mode, uid, gid, mtime } }) => [name, mode, uid, gid, mtime]),
    ).toEqual(
      (
        [
          ['tollgate-1.2.3/', 0o755],
          ['tollgate-1.2.3/README.md', 0o644],
          ['tollgate-1.2.3/man/', 0o755],
          ['tollgate-1.2.3/man/tollgate.1', 0o644],
          ['tollgate-1.2.3/tollgate', 0o755],
        ] as const
      ).map(([name, mode]) => [name, mode, 0, 0, new Date(time * 1000)]),
    )
    expect(held.at(-1)?.data).toEqual(text('#!/bin/sh\necho hello\n'))
  })

  test('for Windows has tollgate.exe', () => {
    const held = unzipSync(createZip(entries('windows-x64'), time))
    expect(Object.keys(held)).toContain('tollgate-1.2.3/tollgate.exe')
    expect(held['tollgate-1.2.3/README.md']).toEqual(text('Read me.'))
  })

  test('is named with its hash in SHA256SUMS', async () => {
    using folder = createTempDir()
    await Bun.write(folder.join('b'), 'two')
    await Bun.write(folder.join('a'), 'one')
    await writeSums(folder.path)
    await writeSums(folder.path)
    const check = Bun.spawnSync(['sha256sum', '--check', '--strict', 'SHA256SUMS'], {
      cwd: folder.path,
    })
    expect([check.exitCode, check.stdout.toString()]).toEqual([0, 'a: OK\nb: OK\n'])
  })
})
