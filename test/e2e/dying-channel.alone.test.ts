import { expect, test } from 'bun:test'
import { rounds } from '../support/rounds.ts'
import { until } from './until.ts'
import {
  type Attempted,
  type ChannelName,
  channelNames,
  channels,
  readAttempts,
  readCoolings,
  startClients,
  startWeightedScene,
  type Weighted,
  type WeightedScene,
} from './weighted-channels.ts'

// Has a core of its own: it times how soon a channel is left and taken again.

// A channel dies while many clients ask, and its siblings are well; then it is well again. It is the
// one with half of the work.

const clientCount = rounds(40, 200)
/** So many more ask when all channels are well again, so that the shares are soon known. */
const moreCount = rounds(80, 0)
/** What the channel has been asked before it dies. */
const askedBefore = rounds(100, 300)
const dying: ChannelName = 'three'
/** So soon after its back-off it must have work again: a request has to come, and to be recorded. */
const backMs = 2_000
/** The same moment may be told a little earlier by another clock of this machine. */
const slackMs = 50

interface Way {
  /** The limits of time that it runs into. */
  readonly timeouts?: object
  die(channel: Weighted): Promise<void>
  revive(channel: Weighted): Promise<void>
  /** Within this nothing goes there any more, but trials. */
  readonly goneMs: number
  /** How long it stays so at least. */
  readonly forMs: number
  /** Streams that have begun there break. */
  readonly breaks: boolean
}

const inMood = (mood: Weighted['mood']) => async (channel: Weighted) => {
  channel.mood = mood
}
const ways: Readonly<Record<string, Way>> = {
  'closes its port and resets its connections': {
    die: ({ upstream }) => upstream.die(),
    revive: ({ upstream }) => upstream.revive(),
    ...{ goneMs: 2_000, forMs: 6_500, breaks: true },
  },
  'begins to answer 500': {
    ...{ die: inMood('failing'), revive: inMood('well') },
    ...{ goneMs: 2_000, forMs: 3_500, breaks: false },
  },
  'falls silent': {
    ...{ die: inMood('silent'), revive: inMood('well') },
    ...{ timeouts: { first_byte: '2s', idle: '2s' }, goneMs: 3_000, forMs: 5_500, breaks: true },
  },
}

// At once: each waits for most of its time.
test.concurrent.each(Object.entries(ways))(
  'a channel that %s costs only streams that had begun, and comes back by itself',
  async (_name, { timeouts, die, revive, goneMs, forMs, breaks }) => {
    await using scene = await startWeightedScene(dying, timeouts)
    const channel = scene.upstreams[dying]
    const clients = startClients(scene.gateway.url, clientCount)
    await until('work for everyone', () => channel.upstream.count() > askedBefore)

    const diedAt = Date.now()
    await die(channel)
    await Bun.sleep(forMs)
    const readTrials = async (to?: number) =>
      (await readAttempts(scene, diedAt + goneMs, to)).filter(isDying)
    await until('a trial', async () => (await readTrials()).length > 0)
    await revive(channel)
    const revivedAt = Date.now()
    const backAt = await until('work for it again', () => findBack(scene, revivedAt))
    await Bun.sleep(1_000)
    const more = startClients(scene.gateway.url, moreCount, clientCount)
    const evenAt = Date.now()
    const countSeen = () => clients.seen.length + more.seen.length
    const enough = countSeen() + 2_000
    await until('work to be shared', () => countSeen() >= enough)
    await Promise.all([clients.stop(), more.stop()])

    const seen = [...clients.seen, ...more.seen]
    const broken = seen.filter(({ outcome }) => outcome === 'broken')
    const last = readCoolings(scene.gateway, dying).findLast(({ at }) => at < backAt)
    const trials = await readTrials(revivedAt)
    const shares = await readShares(scene, evenAt)
    console.log(
      `${seen.length} asked, ${broken.length} streams broken; ${trials.length} trials; back ` +
        `${backAt - revivedAt} ms after it was well, ${backAt - (last?.until ?? backAt)} ms after ` +
        `its back-off; then ${channelNames.map((name) => `${(shares[name] * 100).toFixed(1)} %`)}`,
    )
    expect(seen.filter(({ outcome }) => outcome === 'wrong').slice(0, 5)).toEqual([])
    // Those that had begun there, and no others.
    expect(broken.filter(({ what }) => !what.includes(`said by ${dying}`))).toEqual([])
    expect(broken.filter(({ begunAt }) => begunAt > diedAt + slackMs)).toEqual([])
    expect(broken.length > 0).toBe(breaks)
    expectSingleTrials(scene, trials)
    expect(backAt).toBeLessThan(Math.max(last?.until ?? 0, revivedAt) + backMs)
    for (const name of channelNames) expect(shares[name]).toBeWithin(...bounds(name))
  },
)

const isDying = ({ channel }: { readonly channel: ChannelName }) => channel === dying

/** When the first request was answered well after it was well again; undefined: not yet. */
async function findBack(scene: WeightedScene, revivedAt: number): Promise<number | undefined> {
  const after = (await readAttempts(scene, revivedAt)).filter(isDying)
  return after.find(({ cause }) => cause === null)?.startedAt
}

/** Nothing goes there within a back-off, and one request at most between two of them. */
function expectSingleTrials({ gateway }: WeightedScene, trials: readonly Attempted[]): void {
  const coolings = readCoolings(gateway, dying)
  expect(trials.length).toBeGreaterThan(0)
  // A connection that is refused fails in the millisecond in which its trial began: what cools since
  // that one is what came of the trial.
  const before = trials.map(({ startedAt }) => coolings.findLast(({ at }) => at < startedAt))
  for (const [at, { startedAt }] of trials.entries()) {
    expect(startedAt).toBeGreaterThan((before[at]?.until ?? Number.POSITIVE_INFINITY) - slackMs)
  }
  expect(new Set(before).size).toBe(trials.length)
}

/** The part of the work that each channel got since then. */
async function readShares(scene: WeightedScene, since: number) {
  const attempts = await readAttempts(scene, since)
  expect(attempts.length).toBeGreaterThan(500)
  const share = (name: ChannelName) =>
    attempts.filter(({ channel }) => channel === name).length / attempts.length
  return { one: share('one'), two: share('two'), three: share('three') }
}

const allWeights = Object.values(channels).reduce<number>((sum, weight) => sum + weight, 0)
const bounds = (name: ChannelName) =>
  [channels[name] / allWeights - 0.05, channels[name] / allWeights + 0.05] as const
