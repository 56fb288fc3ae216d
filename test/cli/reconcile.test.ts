import { afterAll, beforeAll, expect, test } from 'bun:test'
import { attemptRow, now, seed, settlement } from '../store/support.ts'
import { openStoreOf } from '../support/store-beside.ts'
import { createWorkplace, type Workplace } from './cli.ts'

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
  await place.write('tollgate.yaml', '')
  const store = await openStoreOf(place.path, () => now)
  await seed(store)
  const usageRaw = JSON.stringify({ prompt_tokens: 16, completion_tokens: 20 })
  const settle = Array.from({ length: 130 }, (_, i) => {
    const startedAt = now + i * 1000
    const attempt = attemptRow({ startedAt, usageRaw, upstreamRequestId: `up_${i}` })
    return settlement({ requestId: `req_${i}`, createdAt: startedAt }, [attempt])
  })
  await store.records.commit({ settle })
  await store.close()
})
afterAll(() => place[Symbol.asyncDispose]())

const head = 'Request ID,Created,Prompt tokens,Completion tokens,Cost'
const line = (i: number, id = `up_${i}`, output = 20) =>
  `${id},${new Date(now + i * 1000).toISOString()},16,${output},0.001`
const csv = (lines: readonly string[]) => `${[head, ...lines].join('\r\n')}\r\n`
const reconcile = (...more: string[]) =>
  place.run(['reconcile', 'usage.csv', '--channel', 'main', ...more])
const everything = Array.from({ length: 130 }, (_, i) => line(i))

test('without a difference the exit code is 0', async () => {
  await place.write('usage.csv', csv(everything))
  const { code, out, err } = await reconcile()
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toBe(`File      usage.csv: 130 request ids in 130 rows
Columns   id = Request ID, input = Prompt tokens, output = Completion tokens, cost = Cost, time = Created
Channel   main
Span      2026-11-21 08:00:00 UTC to 2026-11-21 08:02:09 UTC
Counting  their input includes what is read from and written to a cache; their output includes reasoning

                       REQUESTS  INPUT  OUTPUT  CACHED  COST / CHARGED
all of their file           130  2,080   2,600       –        0.13 USD
known to both, theirs       130  2,080   2,600       –        0.13 USD
known to both, ours         130  2,080   2,600       0    0.000013 USD
difference                    0      0       0       –               –
billed, unknown to us         0      –       –       –               –
ours, not billed              0      0       0       0        0.00 USD
`)
})

test('every kind of difference is listed, and the exit code is 1', async () => {
  const lines = [...everything.slice(0, 3), line(3, 'up_3', 25), line(4, 'invented'), line(129)]
  await place.write('usage.csv', csv(lines))
  const { code, out, err } = await reconcile()
  expect(code).toBe(1)
  expect(err).toBe(
    'tollgate: they differ: 1 billed but unknown to us, 125 of ours not billed, 1 with other counts\n',
  )
  expect(out).toContain(`
Billed, but unknown to us: 1
  UPSTREAM ID  TIME                     INPUT  OUTPUT  CACHED       COST
  invented     2026-11-21 08:00:04 UTC     16      20       –  0.001 USD
`)
  expect(out).toContain('Ours, but not billed: 125\n')
  expect(out).toContain(
    '  up_4         req_4    2026-11-21 08:00:04 UTC     200     16      20       0\n',
  )
  expect(out.match(/^ {2}up_\d+ +req_\d+ +2026/gm)).toHaveLength(100)
  expect(out).toContain('  and 25 more; --json shows all\n')
  expect(out).toContain(`
Known to both, with other counts (theirs / ours): 1
  UPSTREAM ID  REQUEST    INPUT   OUTPUT  CACHED  NOTE
  up_3         req_3    16 / 16  25 / 20   – / 0
`)
})

test('as JSON lines all of it is there, the summary first', async () => {
  const lines = [...everything.slice(0, 3), line(3, 'up_3', 25), line(4, 'invented'), line(129)]
  await place.write('usage.csv', csv(lines))
  const { code, out } = await reconcile('--json')
  expect(code).toBe(1)
  const [summary, ...rows] = out
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text))
  expect(summary).toMatchObject({
    type: 'summary',
    channels: ['main'],
    since: '2026-11-21T08:00:00.000Z',
    columns: { id: 'Request ID', cost: 'Cost' },
    input_counts: 'all',
    billed: { ids: 6, cost_nano: 6_000_000 },
    matched: { billed: { ids: 5 }, own: { ids: 5, amount_nano: 500 } },
    unknown_to_us: { ids: 1 },
    not_billed: { ids: 125 },
    differing: 1,
  })
  expect(rows.filter(({ type }) => type === 'not_billed')).toHaveLength(125)
  expect(rows.find(({ type }) => type === 'unknown_to_us')).toMatchObject({
    upstream_request_id: 'invented',
    cost_nano: 1_000_000,
  })
  expect(rows.at(-1)).toMatchObject({
    type: 'differs',
    billed: { upstream_request_id: 'up_3', output_tokens: 25 },
    own: { request_id: 'req_3', output_tokens: 20, model: 'small', status: 200 },
  })
})

test('columns can be named, and a span told', async () => {
  await place.write('usage.csv', 'trace,out,cost\nup_0,20,1\nup_1,21,1\n')
  const unknown = await reconcile()
  expect(unknown).toMatchObject({ code: 1, out: '' })
  expect(unknown.err).toBe(
    `tollgate: No column of usage.csv is known to hold the upstream's request id. ` +
      'It has: "trace", "out", "cost". Name it with --id-column.\n',
  )
  const named = ['--id-column', 'trace', '--output-column', 'out']
  const noSpan = await reconcile(...named)
  expect(noSpan.err).toContain('--since and --until')
  const span = ['--since', '2026-11-21T08:00:00Z', '--until', '2026-11-21T08:00:02Z']
  const { code, err } = await reconcile(...named, ...span)
  expect(code).toBe(1)
  expect(err).toContain('0 billed but unknown to us, 0 of ours not billed, 1 with other counts')
})

test('several channels may share an account upstream, and the file may come last', async () => {
  await place.write('usage.csv', csv(everything))
  const words = ['reconcile', '--channel', 'main', '--channel', 'main', 'usage.csv']
  const { code, out } = await place.run(words)
  expect(code).toBe(0)
  expect(out).toContain('Channel   main, main\n')
})

test('an unknown channel is told of, with the one that was probably meant', async () => {
  const { code, err } = await place.run(['reconcile', 'usage.csv', '--channel', 'mian'])
  expect(code).toBe(1)
  expect(err).toContain('There is no channel "mian". Did you mean "main"?')
})
