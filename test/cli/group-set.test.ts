import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createWorkplace, type Workplace } from './cli.ts'

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
  const file = {
    groups: [
      { name: 'staff', channels: [], rate_multiplier: 0.1, accounts: ['Kim@example.com'] },
      { name: 'all', channels: [] },
    ],
    accounts: [{ email: 'kim@example.com' }, { email: 'lee@example.com' }],
  }
  await place.write('tollgate.yaml', JSON.stringify(file))
  expect(await place.run(['apply'])).toMatchObject({ code: 0 })
})
afterAll(() => place[Symbol.asyncDispose]())

const run = (line: string) => place.run(line.split(' '))
const json = async (line: string) => JSON.parse((await run(`${line} --json`)).out)

test('whom a group is for is said by the file, and set and opened by command', async () => {
  expect(await json('group show staff')).toMatchObject({ accounts: ['kim@example.com'] })
  expect((await run('group list')).out).toMatch(/^staff .* 1 account /m)

  const set = await run('group set staff --accounts lee@example.com,NEW@example.com')
  expect(set).toMatchObject({ code: 0 })
  expect(set.out).toMatch(/^For +lee@example\.com, new@example\.com$/m)
  expect(set.err).toContain('new@example.com has no account yet')
  expect(set.err).toContain('the configuration file says whom the group "staff" is for')
  expect((await run('plan')).out).toMatch(
    /accounts +\["lee@example\.com","new@example\.com"\] → \["kim@example\.com"\]/,
  )
  expect(await json('group set staff --open')).toMatchObject({ accounts: null })
  expect((await run('group show staff')).out).toMatch(/^For +all accounts$/m)
  expect(await run('group set staff')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--accounts with their e-mails, or --open'),
  })
  expect(await run('group set staff --accounts nobody')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--accounts'),
  })
})

test('a token in a group of others is refused, with the way out', async () => {
  await run('group set staff --accounts kim@example.com')
  const refused = await run('token add --account lee@example.com --group staff')
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain('"staff" is not open to lee@example.com')
  expect(refused.err).toContain('tollgate group set … --accounts')
  const made = await json('token add --account kim@example.com --group staff')
  await run('group set staff --accounts lee@example.com')
  // What is in the wrong place by now can still be switched off.
  expect(await run(`token disable ${made.id}`)).toMatchObject({ code: 0 })
})

test('which tools of vendors a group allows is said by the file, and set by command', async () => {
  expect(await json('group show all')).toMatchObject({ tools: null })
  const set = await run('group set all --tools web_search,mcp')
  expect(set).toMatchObject({ code: 0 })
  expect(set.out).toMatch(/^Tools of vendors +web_search, mcp$/m)
  expect(set.err).toContain('the configuration file says which tools the group "all" allows')
  // Whom it is for stays as it is.
  expect(await json('group show all')).toMatchObject({
    accounts: null,
    tools: ['web_search', 'mcp'],
  })
  expect((await run('plan')).out).toMatch(/tools +\["mcp","web_search"\] → all/)
  expect(await place.run(['group', 'set', 'all', '--tools', ''])).toMatchObject({ code: 0 })
  expect(await json('group show all')).toMatchObject({ tools: [] })
  const unknown = await run('group set all --tools web_surfing')
  expect(unknown.code).toBe(2)
  expect(unknown.err).toMatch(/--tools.*"web_surfing"/)
  expect(await json('group set all --all-tools')).toMatchObject({ tools: null })
})
