import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, existsSync, linkSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findInstaller } from '../../src/app/updates/installation.ts'
import {
  type ReleaseServer,
  releaseKey,
  startReleaseServer,
} from '../app/updates/release-server.ts'
import { requireBinary } from '../support/binary.ts'
import { createWorkplace, type Workplace } from './cli.ts'

let place: Workplace
let server: ReleaseServer
let program: string

beforeAll(async () => {
  place = await createWorkplace()
  server = await startReleaseServer()
  program = join(place.path, 'tollgate')
  copyFileSync(requireBinary(), program)
})
afterAll(async () => {
  await server.stop()
  await place[Symbol.asyncDispose]()
})

const upgrade = (...args: string[]) => upgradeBy(program, ...args)

async function upgradeBy(file: string, ...args: string[]) {
  const env = { ...(await place.environment([])), TOLLGATE_RELEASE_KEY: releaseKey }
  const child = Bun.spawn([file, 'upgrade', ...args], {
    ...{ cwd: place.path, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  })
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  return { code, out, err }
}

test('the program that was kept does not replace itself', async () => {
  const kept = `${program}.previous`
  linkSync(program, kept)
  for (const args of [['--yes'], ['--back', '--yes']]) {
    const { code, err } = await upgradeBy(kept, ...args)
    expect(code).toBe(1)
    expect(err).toContain(`${kept} is the program that was kept, and stays as it is.`)
    expect(err).toContain(`To upgrade: ${program} upgrade.`)
  }
  rmSync(kept)
})

/** Says that it is a newer version, and does all else as the compiled program. */
const newer = () => `#!/bin/sh
[ "$1" = version ] && exec echo '{ "version": "99.0.0", "schema_version": 99 }'
exec ${requireBinary()} "$@"
`

test('the compiled program replaces itself by what has checked a copy of its database', async () => {
  await place.write('tollgate.yaml', `updates: ${server.address.href}\n`)
  expect((await place.run(['apply', '--yes'])).code).toBe(0)
  const path = await server.offer({ version: '99.0.0', program: newer() })

  const installer = await findInstaller(program)
  if (installer !== undefined) {
    // These tests run in an image of their own: that is what it says, then.
    expect(await upgrade('--yes')).toMatchObject({ code: 1, out: '' })
    return
  }

  expect(await upgrade()).toMatchObject({ code: 2, out: '' })
  const before = statSync(program)
  const archive = server.files.get(path) ?? new Uint8Array()
  server.files.set(path, archive.slice(0, -1))
  const cut = await upgrade('--yes')
  expect(cut).toMatchObject({ code: 1 })
  expect(cut.err).toContain('Nothing was changed: run this again.')
  server.files.set(path, archive)
  const dry = await upgrade('--dry-run')
  expect(dry).toMatchObject({ code: 0, err: '' })
  expect(dry.out).toContain('Nothing was replaced (--dry-run).')
  expect(statSync(program).ino).toBe(before.ino)

  const done = await upgrade('--yes')
  expect(done).toMatchObject({ code: 0, err: '' })
  expect(done.out).toContain(': up to date')
  expect(done.out).toContain(
    `To exchange the two again: ${program} upgrade --back --config ${join(place.path, 'tollgate.yaml')}`,
  )
  expect(readFileSync(program, 'utf8')).toBe(newer())
  expect(statSync(`${program}.previous`).ino).toBe(before.ino)
  expect(existsSync(join(place.path, '.tollgate.upgrade'))).toBe(false)
})
