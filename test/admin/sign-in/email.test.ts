import { expect, test } from 'bun:test'
import { email } from 'zod'
import { canSignIn } from '../../../src/admin/sign-in/passwords.ts'

test.each([
  ...['a@example.com', 'A.b+c@sub.example.co', "o'neil@example.com", 'a_b@ex-ample.com', '1@2.de'],
  ...['a@localhost', 'a@example.c', 'ü@example.com', 'a@exämple.com', '.a@example.com', 'a b@c.de'],
  ...['a..b@example.com', 'a.@example.com', 'a@-example.com', '@example.com', 'a@example.com ', ''],
])('an address can sign in exactly when the library takes it: %j', (address) => {
  expect(canSignIn(address)).toBe(email().safeParse(address).success)
})
