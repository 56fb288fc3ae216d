import { expect, test } from 'bun:test'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecretBox, loadSecret } from '../../src/lib/secrets.ts'

const secretsModule = join(import.meta.dir, '../../src/lib/secrets.ts')
const key = 'sk-0123456789abcdefghijklmnopqrstuvwxyz0123456789ABCD'

function temporaryDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-secret-'))
  return {
    path,
    file: join(path, 'gate.secret'),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

function messageOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'nothing was thrown'
}

test('a keyed hash is the same for the same text and secret, and for no other', () => {
  const box = createSecretBox('a secret of some length')
  const { keyedHash } = createSecretBox('a secret of some length')
  expect(keyedHash(key)).toBe(box.keyedHash(key))
  expect(keyedHash(key)).toMatch(/^[\w-]{43}$/)
  expect(keyedHash(`${key} `)).not.toBe(box.keyedHash(key))
  expect(createSecretBox('another secret, as long').keyedHash(key)).not.toBe(box.keyedHash(key))
})

test('hashes stay what they are: stored ones must be found again', () => {
  const { keyedHash } = createSecretBox('0123456789abcdef')
  expect(keyedHash('sk-test')).toBe('Pv0e5ADUEZWqnuWQTXlXyvqMH9df0YG3J1xi7fnJUSs')
})

test.each(['', key, '键🔑\u0000', 'x'.repeat(100_000)])('opens what it sealed (%#)', (text) => {
  const box = createSecretBox('a secret of some length')
  const sealed = box.seal(text)
  expect(createSecretBox('a secret of some length').open(sealed)).toBe(text)
  expect(box.seal(text)).not.toEqual(sealed)
  if (text.length > 3) expect(Buffer.from(sealed).includes(text.slice(0, 20))).toBe(false)
})

test('tells that something was sealed with another secret', () => {
  const sealed = createSecretBox('a secret of some length').seal(key)
  const other = createSecretBox('another secret, as long')
  expect(messageOf(() => other.open(sealed))).toMatch(/another secret.*TOLLGATE_SECRET/)
})

test('opens nothing that was changed', () => {
  const box = createSecretBox('a secret of some length')
  const sealed = box.seal(key)
  for (let index = 0; index < sealed.length; index++) {
    const changed = sealed.slice()
    changed[index] = (changed[index] ?? 0) ^ 1
    expect(() => box.open(changed)).toThrow()
  }
  for (const length of [0, 1, 20, 28, sealed.length - 1]) {
    expect(() => box.open(sealed.subarray(0, length))).toThrow()
  }
})

test('the secret of the environment wins, and no file is made', () => {
  using directory = temporaryDirectory()
  const { file } = directory
  expect(loadSecret({ env: 'sixteen letters!', file })).toEqual({
    secret: 'sixteen letters!',
    source: 'environment',
    warning: null,
  })
  expect(readdirSync(directory.path)).toEqual([])
  const short = messageOf(() => loadSecret({ env: 'only fifteen...', file }))
  expect(short).toContain('TOLLGATE_SECRET has 15 characters, but needs 16')
  expect(short).not.toContain('fifteen')
})

test('without one, a file is made that only its owner reads, and read ever after', () => {
  using directory = temporaryDirectory()
  const { file } = directory
  const first = loadSecret({ env: undefined, file })
  expect(first).toMatchObject({ source: 'created', warning: null })
  expect(first.secret).toMatch(/^[\w-]{43}$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toBe(`${first.secret}\n`)
  expect(readdirSync(directory.path)).toEqual(['gate.secret'])
  const again = loadSecret({ env: '', file })
  expect(again).toEqual({ secret: first.secret, source: 'file', warning: null })
})

test('warns of a file that others can read', () => {
  using directory = temporaryDirectory()
  const { file } = directory
  const { secret } = loadSecret({ env: undefined, file })
  chmodSync(file, 0o640)
  expect(loadSecret({ env: undefined, file })).toEqual({
    secret,
    source: 'file',
    warning: `The secret file ${file} is open to other users of this machine (mode 0640). Run: chmod 600 ${file}`,
  })
})

test('refuses a file that is cut short, and leaves it', () => {
  using directory = temporaryDirectory()
  writeFileSync(directory.file, 'short\n')
  const message = messageOf(() => loadSecret({ env: undefined, file: directory.file }))
  expect(message).toContain(`${directory.file} has 5 characters, but needs 16`)
  expect(readFileSync(directory.file, 'utf8')).toBe('short\n')
})

test('names the file and the way out when it can not be made or read', () => {
  using directory = temporaryDirectory()
  const missing = join(directory.path, 'no/gate.secret')
  expect(messageOf(() => loadSecret({ env: undefined, file: missing }))).toMatch(
    /no\/gate\.secret can not be made .*TOLLGATE_SECRET/,
  )
  expect(messageOf(() => loadSecret({ env: undefined, file: directory.path }))).toContain(
    `${directory.path} can not be read`,
  )
})

test('processes that start at once end with the same secret', async () => {
  using directory = temporaryDirectory()
  const script = `
    import { loadSecret } from ${JSON.stringify(secretsModule)}
    while (Date.now() < Number(process.argv[1])) {}
    console.log(loadSecret({ env: undefined, file: ${JSON.stringify(directory.file)} }).secret)
  `
  const start = String(Date.now() + 400)
  const runs = [0, 1, 2, 3].map(() => Bun.spawn([process.execPath, '-e', script, start]))
  const secrets = await Promise.all(runs.map((run) => new Response(run.stdout).text()))
  expect(secrets[0]).toMatch(/^[\w-]{43}\n$/)
  expect(new Set(secrets).size).toBe(1)
  expect(readdirSync(directory.path)).toEqual(['gate.secret'])
})
