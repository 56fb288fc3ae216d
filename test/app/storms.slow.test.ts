import { describe, expect, test } from 'bun:test'
import { costNano, dialects } from '../e2e/dialects.ts'
import { createDatabase, hasPostgres } from '../support/postgres.ts'
import { createRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type Shot, type Storm, startStorm, type Trick, tricks } from './storm-scene.ts'

// A4: whatever requests look like, an account never goes below what it may by more than what one of them
// costs, and no upstream is asked for what is refused.

const balance = 0.01
const parallel = 50
const hows = (trick: Trick) => (trick.streams === false ? [false] : [false, true])
const storms = tricks.flatMap((trick) =>
  hows(trick).map((stream) => [trick.name, stream ? 'streamed' : 'whole', trick, stream] as const),
)
const times = (count: number, shot: Shot) => Array.from({ length: count }, () => shot)

/** Sends all; gives how many got an answer. */
async function expectBound(storm: Storm, shots: readonly Shot[], least = 0, unasked = 0) {
  const { statuses, asked } = await storm.send(shots)
  const through = statuses.filter((status) => status === 200).length
  const dearest = Math.max(...shots.map(({ trick }) => costNano(trick.used)))
  expect(await storm.balanceNano()).toBeGreaterThanOrEqual(least - dearest)
  expect(asked).toBeWithin(through, through + unasked + 1)
  const refused = statuses.filter((status) => status !== 200)
  expect(refused.filter((status) => status !== 401 && status !== 429)).toEqual([])
  return through
}

describe(`A4: ${parallel} requests at once on a cent`, () => {
  test.each(storms)('%s, %s', async (_, _how, trick, stream) => {
    await using storm = await startStorm({ balance })
    const through = await expectBound(storm, times(parallel, { trick, stream }))
    // A usual answer has to be covered where it is not streamed: eight of them are not.
    expect(through > 0).toBe(stream || trick.name !== 'several answers without a limit')
  })

  test('of two tokens, one of them with a budget, on credit', async () => {
    const [trick] = tricks.filter(({ name }) => name === 'a thread')
    if (trick === undefined) throw new Error('There is no such trick.')
    const email = 'user@example.com'
    const key = 'sk-other-0123456789abcdefghijklmnop'
    const tokens = [
      { name: 'test', key: testKey, group: 'default' },
      { name: 'other', key, group: 'default', budget: { total: 0.002 } },
    ]
    await using storm = await startStorm({
      onlyAccounts: [{ email, balance: 0, credit_limit: 0.01, tokens }],
    })
    const shots = times(parallel, { trick, stream: true }).map((shot, at) =>
      at % 2 ? { ...shot, key } : shot,
    )
    expect(await expectBound(storm, shots, -10_000_000)).toBe(1)
  })
})

describe('A4: an upstream that overlooks the limit of an answer', () => {
  const trick: Trick = {
    ...{ name: 'overlooked', dialect: dialects.chat, used: { input: 20, output: 4_000 } },
    more: { max_completion_tokens: 10 },
  }

  test.each([false, true])('is known after the first one; streamed: %p', async (stream) => {
    await using storm = await startStorm({ balance: 0.02 })
    // One by one, each worse than the last one, also than what is known of that.
    const worse = [20, 100].map((output) => ({ ...trick, used: { ...trick.used, output } }))
    for (const one of [...worse, trick]) {
      expect(await expectBound(storm, [{ trick: one, stream }])).toBe(1)
    }
    expect(await expectBound(storm, times(parallel, { trick, stream }))).toBeWithin(1, 3)
  })
})

const seeds = rounds(3, 40)

test(`A4: ${seeds} storms of requests made by chance`, async () => {
  for (let seed = 1; seed <= seeds; seed++) {
    const random = createRandom(seed)
    await using storm = await startStorm({ balance: Number((10 ** (random() * 2 - 3)).toFixed(6)) })
    const few = tricks.filter(() => random() < 0.3)
    for (let round = 0; round < 3; round++) {
      const shots = Array.from({ length: 40 }, () => {
        const trick = (few[Math.floor(random() * few.length)] ?? tricks[0]) as Trick
        return { trick, stream: trick.streams !== false && random() < 0.5 }
      })
      const before = await storm.balanceNano()
      if (before <= 0) break
      await expectBound(storm, shots)
    }
  }
}, 600_000)

describe.skipIf(!hasPostgres)('A4: two nodes with one PostgreSQL', () => {
  const shared = ['a thread', 'no limit', 'two spellings of the limit', 'a schema']

  test.each(shared)('%s', async (named) => {
    await using database = await createDatabase()
    await using storm = await startStorm({ balance, store: database.url }, 2)
    const trick = tricks.find(({ name }) => name === named) as Trick
    for (const stream of [false, true]) {
      // A node may ask for one that the other has taken the money for meanwhile.
      expect(await expectBound(storm, times(parallel, { trick, stream }), 0, 2)).toBe(1)
      if ((await storm.balanceNano()) <= 0) break
    }
  })
})
