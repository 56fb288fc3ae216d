import { expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSecretKey } from '../../data/release/minisign.ts'
import { parseRelease } from '../../src/app/updates/release.ts'
import { complainOfSignature, parseMinisignKey } from '../../src/lib/minisign.ts'
import { createTempDir } from '../support/temp-dir.ts'

const script = join(import.meta.dir, '../../data/release/sign.ts')

function run(args: readonly string[], env: Record<string, string> = {}) {
  const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, script, ...args], { env })
  return { exitCode, said: `${stdout}${stderr}` }
}

test('the script makes keys and a signed list that programs read', async () => {
  using folder = createTempDir('tollgate-sign')
  expect(run(['keys', folder.join('keys')]).exitCode).toBe(0)
  expect(statSync(folder.join('keys/tollgate.key')).mode & 0o777).toBe(0o600)
  expect(run(['keys', folder.join('keys')]).said).toContain('is there already')

  for (const target of ['linux-x64', 'linux-arm64-musl']) {
    const entries = { [`tollgate-1.2.3-rc.1-${target}/tollgate`]: `program of ${target}` }
    const bytes = await new Bun.Archive(entries, { compress: 'gzip' }).bytes()
    writeFileSync(folder.join(`tollgate-1.2.3-rc.1-${target}.tar.gz`), bytes)
  }
  const files = ['linux-x64', 'linux-arm64-musl'].map((target) =>
    folder.join(`tollgate-1.2.3-rc.1-${target}.tar.gz`),
  )
  const secret = readFileSync(folder.join('keys/tollgate.key'), 'utf8')
  const line = secret.split('\n')[1] ?? ''
  const made = run(['latest', '--notes', 'https://example.com/notes', ...files], {
    TOLLGATE_RELEASE_SECRET: line,
  })
  expect(made).toMatchObject({ exitCode: 0 })
  expect(made.said).not.toContain(line)

  const text = readFileSync(folder.join('latest.json'))
  const key = parseMinisignKey(
    readFileSync(folder.join('keys/tollgate.pub'), 'utf8').split('\n')[1] ?? '',
  )
  if (key === undefined) throw new Error('no key')
  const signature = readFileSync(folder.join('latest.json.minisig'), 'utf8')
  expect(complainOfSignature(text, signature, key)).toBeUndefined()
  expect(parseRelease(text.toString())).toMatchObject({
    version: '1.2.3-rc.1',
    notes_url: 'https://example.com/notes',
    archives: {
      'linux-x64': {
        url: 'tollgate-1.2.3-rc.1-linux-x64.tar.gz',
        program: { size: 'program of linux-x64'.length },
      },
      'linux-arm64-musl': { url: 'tollgate-1.2.3-rc.1-linux-arm64-musl.tar.gz' },
    },
  })
  expect(run(['latest', ...files]).said).toContain('This is no secret key of minisign.')
})

test('a secret key that is cut off, damaged or has a password is refused', () => {
  const bytes = Buffer.alloc(158)
  bytes.write('Ed\0\0B2')
  expect(() => readSecretKey(bytes.toString('base64'))).toThrow('is damaged')
  bytes.write('EdSc')
  expect(() => readSecretKey(bytes.toString('base64'))).toThrow('has a password')
  expect(() => readSecretKey(bytes.subarray(1).toString('base64'))).toThrow('is no secret key')
})
