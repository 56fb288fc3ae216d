import { describe, expect, test } from 'bun:test'
import {
  clientAddress,
  compileAddressList,
  isListed,
} from '../../src/gateway/admit/client-address.ts'

describe('isListed', () => {
  const list = compileAddressList([
    '10.0.0.0/8',
    '192.0.2.7',
    '2001:db8::/32',
    '::ffff:198.51.100.0/120',
  ])
  for (const [address, listed] of [
    ['10.1.2.3', true],
    ['11.0.0.1', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['::ffff:10.1.2.3', true],
    ['::ffff:11.0.0.1', false],
    ['2001:db8:1::5', true],
    ['2001:db9::1', false],
    ['198.51.100.9', true],
    ['', false],
    ['not an address', false],
  ] as const) {
    test(`${address || '(empty)'} is ${listed ? '' : 'not '}listed`, () => {
      expect(isListed(address, list)).toBe(listed)
    })
  }

  test('an entry that is no address does not compile', () => {
    expect(() => compileAddressList(['10.0.0.0/33'])).toThrow()
    expect(() => compileAddressList(['localhost'])).toThrow()
  })
})

describe('clientAddress', () => {
  const proxies = compileAddressList(['127.0.0.1', '10.0.0.0/8'])
  const of = (peer: string, forwarded: string | null) => clientAddress(peer, forwarded, proxies)

  test('X4: a forwarded address is believed from trusted proxies only', () => {
    expect(of('203.0.113.9', '192.0.2.1')).toBe('203.0.113.9')
    expect(of('127.0.0.1', '192.0.2.1')).toBe('192.0.2.1')
    expect(of('::ffff:127.0.0.1', '192.0.2.1')).toBe('192.0.2.1')
  })

  test('X4: the right-most untrusted hop counts, whatever a client wrote before it', () => {
    expect(of('127.0.0.1', '1.1.1.1, 192.0.2.1, 10.2.3.4')).toBe('192.0.2.1')
    expect(of('127.0.0.1', '10.0.0.1, 10.0.0.2')).toBe('10.0.0.1')
  })

  test('what is no address is not believed', () => {
    expect(of('127.0.0.1', 'unknown')).toBe('127.0.0.1')
    expect(of('127.0.0.1', '')).toBe('127.0.0.1')
    expect(of('127.0.0.1', null)).toBe('127.0.0.1')
  })
})
