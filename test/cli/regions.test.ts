import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createWorkplace, type Workplace } from './cli.ts'

// Which countries a group or an account serves, as the file and commands know it.

const file = {
  server: { trusted_proxies: ['127.0.0.1'] },
  settings: { country_header: 'CF-IPCountry' },
  groups: [
    { name: 'some', channels: [], regions: { allow: ['CN', 'us'] } },
    { name: 'all', channels: [] },
  ],
  accounts: [{ email: 'kim@example.com', regions: { deny: ['RU'] } }, { email: 'lee@example.com' }],
}
const way = 'settings.country_header'

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
  await place.write('tollgate.yaml', JSON.stringify(file))
  await place.write('bare.yaml', '{}')
  expect(await place.run(['apply'])).toMatchObject({ code: 0 })
})
afterAll(() => place[Symbol.asyncDispose]())

const run = (line: string) => place.run(line.split(' '))
const json = async (line: string) => JSON.parse((await run(`${line} --json`)).out)

test('a group: the file says it, commands show and change it, and a plan tells the difference', async () => {
  expect(await json('group show some')).toMatchObject({ regions: { allow: ['CN', 'US'] } })
  expect(await json('group show all')).toMatchObject({ regions: null })
  const set = await run('group set some --deny-countries kp,RU')
  expect(set.out).toMatch(/^Countries +all but KP, RU$/m)
  expect(set.err).toContain('says which countries the group "some" answers')
  expect((await run('plan')).out).toContain('regions  deny ["KP","RU"] → allow ["CN","US"]')
  expect(await json('group set some --all-countries')).toMatchObject({ regions: null })
  expect((await run('apply')).out).toContain('regions  all → allow ["CN","US"]')
})

test('an account: the same', async () => {
  expect(await json('account show kim@example.com')).toMatchObject({ regions: { deny: ['RU'] } })
  const set = await run('account set kim@example.com --allow-countries DE')
  expect(set.out).toMatch(/^Countries +only DE$/m)
  expect(set.err).toContain('sets regions of kim@example.com')
  expect((await run('plan')).out).toContain('regions  allow ["DE"] → deny ["RU"]')
  expect(await json('account set lee@example.com --deny-countries IR')).toMatchObject({
    regions: { deny: ['IR'] },
  })
  await run('apply')
  // What the file leaves out of an account stays as it is.
  expect(await json('account show lee@example.com')).toMatchObject({ regions: { deny: ['IR'] } })
  expect(await json('account set lee@example.com --all-countries')).toMatchObject({ regions: null })
})

test('what is no country, both lists, and no header at all are refused in words', async () => {
  const refused = async (line: string, ...words: string[]) => {
    const { code, err } = await run(line)
    expect(code).toBe(2)
    for (const word of words) expect(err).toContain(word)
  }
  await refused('group set all --allow-countries UK', '--allow-countries: "UK" is not a country')
  await refused('group set all --allow-countries CN --deny-countries RU', '--all-countries')
  await refused('group set all --allow-countries CN --config bare.yaml', way)
  await refused('account set lee@example.com --deny-countries CN --config bare.yaml', way)
  expect(await json('group show all')).toMatchObject({ regions: null })
  const { settings: _, ...without } = file
  await place.write('without.yaml', JSON.stringify(without))
  const planned = await run('plan --config without.yaml')
  expect(planned.code).not.toBe(0)
  expect(planned.err).toContain('groups[0].regions can not be judged: set settings.country_header')
  expect(planned.err).toContain('accounts[0].regions can not be judged')
})
