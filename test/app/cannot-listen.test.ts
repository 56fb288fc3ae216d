import { expect, test } from 'bun:test'
import { cannotListen } from '../../src/app/listen.ts'
import { UserError } from '../../src/app/user-error.ts'

const told = (code: string, host = '127.0.0.1') =>
  cannotListen(
    { host, port: 80, setBy: 'server.listen' },
    Object.assign(new Error(`${code}: in the system's words`), { code }),
  )

test.each([
  ['EADDRINUSE', 'Port 80 on 127.0.0.1 is in use. Stop what uses it, or give another address'],
  ['EACCES', 'Cannot listen on 127.0.0.1:80: this user has no right to ports below 1024.'],
  ['EADDRNOTAVAIL', 'Cannot listen on 127.0.0.1:80: this machine has no such address.'],
  ['ENOENT', 'Cannot listen on 127.0.0.1:80: the name of the host has no address here.'],
  ['EAFNOSUPPORT', 'Cannot listen on 127.0.0.1:80: this machine has no IPv6.'],
  ['EINVAL', "Cannot listen on 127.0.0.1:80: Error: EINVAL: in the system's words."],
])('%s is told with the way out and where it is set', (code, message) => {
  const error = told(code)
  expect(error).toBeInstanceOf(UserError)
  expect(error.message).toStartWith(message)
  expect(error.message).toEndWith('(server.listen).')
})

test('an address of IPv6 is written as one', () => {
  expect(told('EADDRNOTAVAIL', 'fe80::1').message).toStartWith('Cannot listen on [fe80::1]:80: ')
})
