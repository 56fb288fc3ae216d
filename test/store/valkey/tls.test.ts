import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openValkeyCounters } from '../../../src/store/valkey/counters.ts'
import { encryptionOf } from '../../../src/store/valkey/link.ts'
import { createLines } from '../../gateway/channels/choosing-scene.ts'
import { describeWithValkey, startValkey, type Valkey } from '../../support/valkey.ts'

const file = (name: string) => join(import.meta.dir, '../../fixtures/tls', name)
const base = 'rediss://default:hunter2@counters.example.com:6379/0'

describe('an address says how it is encrypted', () => {
  test.each([
    [base, { url: base, tls: undefined }],
    [`${base}?ssl_cert_reqs=required`, { url: base, tls: undefined }],
    [`${base}?ssl_cert_reqs=none`, { url: base, tls: { rejectUnauthorized: false } }],
    [
      `${base}?ssl_ca_certs=${file('ca.pem')}`,
      { url: base, tls: { ca: expect.stringContaining('BEGIN CERTIFICATE') } },
    ],
    ['valkey://:pass%40word@h:1/2', { url: 'valkey://:pass%40word@h:1/2', tls: undefined }],
  ])('%s', (url, encryption) => {
    expect(encryptionOf(url)).toEqual(encryption)
  })

  test('a file that can not be read is named, the password is not', () => {
    const open = () => encryptionOf(`${base}?ssl_ca_certs=/nowhere/ca.pem`)
    expect(open).toThrow('The file that ssl_ca_certs names (counters: in the configuration)')
    expect(open).toThrow('/nowhere/ca.pem')
    expect(open).not.toThrow('hunter2')
  })
})

describeWithValkey('a server that encrypts', () => {
  let own: Valkey
  let named: Valkey

  beforeAll(async () => {
    own = await startValkey({ cert: file('local.pem'), key: file('local.key') })
    named = await startValkey({ cert: file('media.test.pem'), key: file('media.test.key') })
  })
  afterAll(async () => {
    await Promise.all([own, named].map((server) => server?.stop()))
  })

  /** What the log says of an address; nothing: it is within reach, and counts. */
  async function told(url: string): Promise<string> {
    const { log, lines } = createLines()
    const counters = await openValkeyCounters({ url, log })
    if (!counters.isUnavailable()) {
      await counters.set('name', 'text')
      expect(await counters.get('name')).toBe('text')
    }
    await counters.close()
    return JSON.stringify(lines)
  }

  test.each(['?ssl_cert_reqs=none', `?ssl_ca_certs=${file('local.pem')}`])(
    'is within reach by %s',
    async (query) => {
      expect(await told(own.url + query)).toBe('[]')
    },
  )

  test.each([
    ['', 'nobody known here has signed: name the certificate of its authority (?ssl_ca_certs='],
    [`?ssl_ca_certs=${file('unknown.pem')}`, 'nobody known here has signed'],
  ])('is away, and the log says why, with a certificate of its own: %s', async (query, words) => {
    expect(await told(own.url + query)).toContain(words)
  })

  test('is away, and the log says why, with a certificate of another name', async () => {
    const url = `${named.url}?ssl_ca_certs=${file('ca.pem')}`
    expect(await told(url)).toContain('it has a certificate of another name')
  })

  test('asked in plain it is away, and the log names TLS', async () => {
    const url = own.url.replace('rediss:', 'redis:')
    expect(await told(url)).toContain('or wants TLS (rediss://)')
  })
})
