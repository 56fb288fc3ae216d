import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createKeyMark } from '../../src/app/channel-care.ts'
import { failureClasses } from '../../src/gateway/failures/failures.ts'
import { createSecretBox } from '../../src/lib/secrets.ts'
import type { CoolingRow } from '../../src/store/ports/counters.ts'
import type { Store } from '../../src/store/ports/store.ts'
import { openStoreOf } from '../support/store-beside.ts'
import { createWorkplace, type Workplace } from './cli.ts'

const firstKey = 'sk-upstream-one-abcdefghijklmnop'
const secondKey = 'sk-upstream-two-abcdefghijklmnop'
const secret = 'a secret for these tests, long enough'
const env = { TOLLGATE_SECRET: secret }
const mark = createKeyMark(createSecretBox(secret))

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
  await place.write(
    'tollgate.yaml',
    `channels:
  - { name: main, speaks: { chat: "https://a.example" }, api_keys: [${firstKey}, ${secondKey}], models: [fast] }
  - { name: spare, speaks: { chat: "https://b.example" }, api_key: k, models: [fast] }
groups: [{ name: main, channels: [main, spare] }]
prices: { fast: { free: true } }
`,
  )
  expect(await place.run(['apply'], { env })).toMatchObject({ code: 0 })
})
afterAll(() => place[Symbol.asyncDispose]())
beforeEach(async () => {
  for (const name of ['main', 'spare']) await channel(`enable ${name}`)
})

const channel = (line: string) => place.run(['channel', ...line.split(' ')], { env })
const json = async (line: string) => JSON.parse((await channel(`${line} --json`)).out)

async function inStore(work: (store: Store) => Promise<unknown>): Promise<void> {
  const store = await openStoreOf(place.path)
  await work(store)
  await store.close()
}

const since = Date.parse('2026-11-21T08:30:12Z')

/** Stores what cools; every row that is not said otherwise for another ten minutes. */
const cool = (...rows: readonly (Partial<CoolingRow> & { channelId?: number })[]) =>
  inStore(({ health }) =>
    health.save(
      rows.map((row) => ({
        ...{ channelId: 1, key: '', model: '', cause: 'connect_failed', since, rounds: 1 },
        until: Date.now() + 600_000,
        ...row,
      })),
      [],
    ),
  )

test('of a channel that nothing cools there is nothing to say', async () => {
  expect(await channel('status')).toEqual({
    code: 0,
    err: '',
    out: 'main is active, and nothing is known against it.\nspare is active, and nothing is known against it.\n',
  })
  expect(await json('status spare')).toEqual({
    name: 'spare',
    status: 'active',
    sentence: 'spare is active, and nothing is known against it.',
    cooling: [],
  })
})

test('one that cools says until when, since when, how often and why', async () => {
  await cool({ until: Date.now() + 100_000, rounds: 3 })
  const { out } = await channel('status main')
  expect(out).toMatch(
    /^main cools down for another (100|\d\d) s, since 2026-11-21 08:30:12 UTC, 3 times in a row: No connection came about: .*\.\n$/,
  )
  expect((await channel('status')).out.split('\n')).toHaveLength(3)
  const report = await json('status main')
  expect(report).toMatchObject({
    status: 'active',
    cooling: [
      {
        key_hint: null,
        model: null,
        cause: 'connect_failed',
        why: failureClasses.connect_failed.why,
        since: '2026-11-21T08:30:12.000Z',
        rounds: 3,
      },
    ],
  })
  expect(report.cooling[0].remaining_ms).toBeWithin(1, 100_001)
})

test('parts of a channel are told one by one: key, model, both', async () => {
  await cool(
    { key: mark(firstKey), cause: 'upstream_auth' },
    { model: 'fast', cause: 'upstream_overloaded', until: Date.now() + 3_600_000 * 5 },
    { key: mark(secondKey), model: 'fast', cause: 'upstream_rate_limited', rounds: 2 },
    { key: 'ffffffffffffffff', cause: 'upstream_quota' },
  )
  const { out } = await channel('status main')
  const [head, ...parts] = out.trimEnd().split('\n')
  expect(head).toBe('main is active, but not all of it is well.')
  const told = parts.map((line) => line.replace(/, since 2026-11-21 08:30:12 UTC/, '')).toSorted()
  expect(told).toEqual([
    `  A key that it no longer has cools down for another 10 min: ${failureClasses.upstream_quota.why}`,
    `  The key sk-up…mnop cools down for another 10 min: ${failureClasses.upstream_auth.why}`,
    `  The model fast cools down for another 5 h: ${failureClasses.upstream_overloaded.why}`,
    `  The model fast with the key sk-up…mnop cools down for another 10 min, 2 times in a row: ${failureClasses.upstream_rate_limited.why}`,
  ])
  const text = out + JSON.stringify(await json('status'))
  for (const hidden of [firstKey, secondKey, mark(firstKey)]) expect(text).not.toContain(hidden)
})

test('one whose time is over is tried again by the next request', async () => {
  await cool({ until: Date.now() - 5_000 })
  expect((await channel('status main')).out).toStartWith(
    'main is half-open after its cooldown: the next request tries it, ',
  )
  expect((await json('status main')).cooling).toMatchObject([{ remaining_ms: 0 }])
})

test('a cause of a newer program is told by its name', async () => {
  await cool({ cause: 'upstream_moody' }, { channelId: 2, cause: 'toString' })
  const { out } = await channel('status')
  expect(out).toContain(': An attempt failed (upstream_moody).\n')
  expect(out).toContain(': An attempt failed (toString).\n')
})

test('draining and being off are told, and drain and disable say what they mean', async () => {
  const drained = await channel('drain main')
  expect(drained.code).toBe(0)
  expect(drained.out).toStartWith('The channel "main" is draining: what has begun there,')
  expect(drained.out).toContain('tollgate channel enable main\n')
  expect(await channel('drain main')).toEqual(drained)
  expect(await json('show main')).toMatchObject({ status: 'draining' })
  expect((await channel('list')).out).toMatch(/^main +draining /m)
  await cool({ model: 'fast' })
  expect((await channel('status main')).out).toMatch(
    /^main is draining: what has begun there goes on there, and nothing new is sent to it\.\n {2}The model fast cools down for another 10 min, /,
  )
  await channel('disable main')
  expect((await channel('status main')).out).toBe('main is disabled: nothing is sent to it.\n')
  const refused = await channel('drain main')
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain('The channel "main" is disabled')
  expect(await json('show main')).toMatchObject({ status: 'disabled' })
})

test('enable ends draining and all that cools, of this channel only', async () => {
  await channel('drain main')
  await cool({}, { model: 'fast' }, { channelId: 2 })
  expect((await channel('enable main')).out).toBe(
    'The channel "main" is active.\nIt is tried again: 2 coolings ended.\n',
  )
  const [main, spare] = await json('status')
  expect(main).toMatchObject({ status: 'active', cooling: [] })
  expect(spare.cooling).toHaveLength(1)
  expect((await channel('enable main')).out).toBe('The channel "main" is active.\n')
})

test('what the file says otherwise it will say again', async () => {
  expect((await channel('drain main')).err).toBe(
    'tollgate: warning: the configuration file says that the channel "main" is active; the next ' +
      'start or "tollgate apply" puts back what it says: change it there\n',
  )
  expect((await channel('disable spare')).err).toContain('the channel "spare" is active; the next')
  expect((await channel('enable spare')).err).toBe('')
})

describe('refused', () => {
  test.each([
    ['status mian', 1, 'There is no channel "mian". Did you mean "main"?'],
    ['status elsewhere', 1, '"tollgate channel list" shows all.'],
    ['drain elsewhere', 1, 'There is no channel "elsewhere".'],
    ['enable elsewhere', 1, 'There is no channel "elsewhere".'],
    ['drain', 2, "missing required argument 'name'"],
    ['status main spare', 2, 'too many arguments'],
  ])('%s', async (line, code, message) => {
    const ran = await channel(line)
    expect(ran.err).toContain(message)
    expect(ran.err).not.toMatch(/\n\s+at /)
    expect(ran).toMatchObject({ code, out: '' })
  })
})
