import { expect, test } from 'bun:test'
import { canSignIn } from '../../../src/admin/sign-in/hashing.ts'

test.each([
  ...['a@example.com', 'A.b+c@sub.example.co', "o'neil@example.com", 'a_b@ex-ample.com', '1@2.de'],
])('%j can be signed in with', (address) => expect(canSignIn(address)).toBe(true))

test.each([
  ...['a@localhost', 'a@example.c', 'ü@example.com', 'a@exämple.com', '.a@example.com', 'a b@c.de'],
  ...['a..b@example.com', 'a.@example.com', 'a@-example.com', '@example.com', 'a@example.com ', ''],
])('%j is no address to sign in with', (address) => expect(canSignIn(address)).toBe(false))
