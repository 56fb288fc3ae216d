import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createWorkplace, type Workplace } from './cli.ts'

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
  await place.write('tollgate.yaml', 'accounts: [{ email: a@example.com, role: admin }]\n')
  await place.run(['apply'])
})
afterAll(() => place[Symbol.asyncDispose]())

const email = 'a@example.com'

test('takes a password from stdin, and says nothing of it', async () => {
  const ran = await place.run(['account', 'password', email], { stdin: 'a-good-long-password\n' })
  expect(ran).toEqual({
    code: 0,
    out:
      'a@example.com has another password, and is signed out everywhere.\n' +
      'Its passkeys and linked providers are removed; it may add them again.\n',
    err: '',
  })
  const audit = await place.run(['audit', 'list', '--json'])
  expect(JSON.parse(audit.out).at(-1)).toMatchObject({ action: 'account.password', subject: email })
  expect(audit.out).not.toContain('good-long')
})

test.each([
  ['a short one', email, 'short\n', 'has 10 to 256 characters; this one has 5'],
  ['none', email, '', 'this one has 0'],
  ['an unknown account', 'b@example.com', 'a-good-long-password', 'Did you mean "a@example.com"?'],
])('refuses %s', async (_, account, stdin, complaint) => {
  const ran = await place.run(['account', 'password', account], { stdin })
  expect(ran).toMatchObject({ code: 1, out: '' })
  expect(ran.err).toContain(complaint)
})

test('removes a second factor, as JSON too', async () => {
  const ran = await place.run(['account', 'reset-2fa', email, '--json'])
  expect(JSON.parse(ran.out)).toEqual({ email, role: 'admin', sessions_ended: true })
  const audit = await place.run(['audit', 'list', '--json'])
  expect(JSON.parse(audit.out).at(-1)).toMatchObject({ action: 'account.reset_2fa' })
})
