import { expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeKeys, readSecretKey } from '../../data/release/minisign.ts'
import { writeSums } from '../../data/release/sums.ts'
import { parseRelease } from '../../src/app/updates/release.ts'
import { complainOfSignature, parseMinisignKey } from '../../src/lib/minisign.ts'
import { createTempDir } from '../support/temp-dir.ts'

const script = join(import.meta.dir, '../../data/release/sign.ts')

function run(args: readonly string[], env: Record<string, string> = {}) {
  const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, script, ...args], { env })
  return { exitCode, said: `${stdout}${stderr}` }
}

test('the script makes keys, and signs the sums of a release and a list that programs read', async () => {
  using folder = createTempDir('tollgate-sign')
  expect(run(['keys', folder.join('keys')]).exitCode).toBe(0)
  expect(statSync(folder.join('keys/tollgate.key')).mode & 0o777).toBe(0o600)
  expect(run(['keys', folder.join('keys')]).said).toContain('is there already')

  const line = readFileSync(folder.join('keys/tollgate.key'), 'utf8').split('\n')[1] ?? ''
  const open = readFileSync(folder.join('keys/tollgate.pub'), 'utf8').split('\n')[1] ?? ''
  const key = parseMinisignKey(open)
  if (key === undefined) throw new Error('no key')
  const out = folder.join('out')
  const programOf = (target: string) => `program of ${target}, which trusts ${open}`
  for (const target of ['linux-x64', 'linux-arm64-musl']) {
    const entries = { [`tollgate-1.2.3-rc.1-${target}/tollgate`]: programOf(target) }
    const bytes = await new Bun.Archive(entries, { compress: 'gzip' }).bytes()
    await Bun.write(join(out, `tollgate-1.2.3-rc.1-${target}.tar.gz`), bytes)
  }
  await writeSums(out)
  const sign = (secret = line, ...more: string[]) =>
    run(['release', ...more, out], { TOLLGATE_RELEASE_SECRET: secret })
  const made = sign(line, '--notes', 'https://example.com/notes')
  expect(made).toMatchObject({ exitCode: 0 })
  expect(made.said).not.toContain(line)

  for (const name of ['latest.json', 'SHA256SUMS']) {
    const signature = readFileSync(join(out, `${name}.minisig`), 'utf8')
    expect(complainOfSignature(readFileSync(join(out, name)), signature, key)).toBeUndefined()
  }
  const text = readFileSync(join(out, 'latest.json'), 'utf8')
  expect(parseRelease(text)).toMatchObject({
    version: '1.2.3-rc.1',
    made_at: expect.stringMatching(/^20\d\d-/),
    notes_url: 'https://example.com/notes',
    archives: {
      'linux-x64': {
        url: 'tollgate-1.2.3-rc.1-linux-x64.tar.gz',
        program: { size: programOf('linux-x64').length },
      },
      'linux-arm64-musl': { url: 'tollgate-1.2.3-rc.1-linux-arm64-musl.tar.gz' },
    },
  })

  expect(sign('').said).toContain('This is no secret key of minisign.')
  const other = makeKeys().secretKey.split('\n')[1]
  expect(sign(other)).toMatchObject({
    exitCode: 1,
    said: expect.stringMatching(/was built for another key than [0-9A-F]{16}, or for none/),
  })
  expect(sign(line, '--notes', 'https://example.com/\u001b]0;x').said).toContain(
    'No program could read this list',
  )
  writeFileSync(join(out, 'tollgate-1.2.3-rc.1-linux-x64.tar.gz'), 'another')
  expect(sign().said).toContain(
    'is not what was built, so it is not signed: tollgate-1.2.3-rc.1-linux-x64.tar.gz is another file',
  )
})

test('a secret key that is cut off, damaged or has a password is refused', () => {
  const bytes = Buffer.alloc(158)
  bytes.write('Ed\0\0B2')
  expect(() => readSecretKey(bytes.toString('base64'))).toThrow('is damaged')
  bytes.write('EdSc')
  expect(() => readSecretKey(bytes.toString('base64'))).toThrow('has a password')
  expect(() => readSecretKey(bytes.subarray(1).toString('base64'))).toThrow('is no secret key')
})
