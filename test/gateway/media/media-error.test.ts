import { expect, test } from 'bun:test'
import { BadEncoding, TooManyBytes } from '../../../src/gateway/body/bounded-bytes.ts'
import { asMediaError, MediaError } from '../../../src/gateway/media/media-address.ts'
import { ConnectTimeout } from '../../../src/gateway/outbound/dial.ts'
import { AddressRefused, HostNotFound } from '../../../src/gateway/outbound/outbound.ts'

const coded = (code: string) => Object.assign(new Error('to 10.0.0.1 failed'), { code })

const words: readonly (readonly [string, unknown, string])[] = [
  ['AddressRefused', new AddressRefused('x is the private address 10.0.0.1'), 'no public address'],
  ['HostNotFound', new HostNotFound('10.0.0.1'), 'could not be found'],
  ['ENOTFOUND', coded('ENOTFOUND'), 'could not be found'],
  ['DNS_ETIMEOUT', coded('DNS_ETIMEOUT'), 'could not be found'],
  ['EAI_AGAIN', coded('EAI_AGAIN'), 'could not be found'],
  ['ConnectTimeout', new ConnectTimeout('10.0.0.1'), 'could not be reached in time'],
  ['TooManyBytes', new TooManyBytes(), 'larger than 20 MiB'],
  ['BadEncoding', new BadEncoding('10.0.0.1'), 'unknown or broken way'],
  ['wrong name', coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'no valid certificate'],
  ['self-signed', coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'no valid certificate'],
  ['unknown authority', coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'no valid certificate'],
  ['ECONNREFUSED', coded('ECONNREFUSED'), 'The connection to the host of the file failed'],
  ['nothing', undefined, 'The connection to the host of the file failed'],
]

test.each(words)('X1: %s is told in words, and no address with it', (_name, thrown, said) => {
  const { message, cause } = asMediaError(thrown, 20 * 1_048_576)
  expect(message).toContain(said)
  expect(message).not.toContain('10.0.0.1')
  expect(cause).toBe(thrown)
})

test('what is in words already stays', () => {
  const error = new MediaError('The address is not a URL.')
  expect(asMediaError(error, 1)).toBe(error)
})
