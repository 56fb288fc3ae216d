import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { attemptRow, now, seed, settlement } from '../store/support.ts'
import { openStoreOf } from '../support/store-beside.ts'
import { createWorkplace, type Workplace } from './cli.ts'

const hour = 3_600_000
const odd = 'line\n"quoted", 默认【官转·稳定】'

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
  await place.write('tollgate.yaml', '')
  const store = await openStoreOf(place.path, () => now)
  await seed(store)
  await store.records.commit({
    settle: [
      settlement({ requestId: 'req_1', amountNano: 32_000_000 }, [
        attemptRow({ status: 503, cause: 'upstream_error', upstreamRequestId: null }),
        attemptRow(),
      ]),
      settlement(
        {
          requestId: 'req_2',
          createdAt: now + hour,
          status: 404,
          ending: 'refused',
          cause: 'model_not_found',
          causeText: odd,
          model: '',
          channelId: null,
          upstreamModel: null,
          upstreamProtocol: null,
          priceId: null,
          usageRaw: null,
          firstByteMs: null,
          amountNano: 0,
        },
        [],
      ),
    ],
  })
  await store.close()
})
afterAll(() => place[Symbol.asyncDispose]())

const contract = {
  requests:
    'request_id, created_at, account, token, group, model, upstream_model, channel, client_protocol, upstream_protocol, stream, status, cause, ending, input_tokens, output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, estimated, amount_nano, first_byte_ms, duration_ms, attempts',
  ledger: 'id, created_at, account, kind, amount_nano, request_id, reason, balance_after_nano',
}

/** Reads CSV by the letter of RFC 4180. */
function parseCsv(text: string): string[][] {
  const cell = /("(?:[^"]|"")*"|[^,"\n]*)(,|\n)/gy
  const rows: string[][] = [[]]
  for (const [, value = '', end] of text.matchAll(cell)) {
    rows.at(-1)?.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (end === '\n') rows.push([])
  }
  expect(rows.pop()).toEqual([])
  return rows
}

const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('requests as JSON lines have every field of the contract', async () => {
  const { code, out, err } = await place.run(['export', 'requests'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const [first, second, ...more] = lines(out)
  expect(more).toEqual([])
  expect(Object.keys(first)).toContainValues(contract.requests.split(', '))
  expect(first).toMatchObject({
    request_id: 'req_1',
    created_at: '2026-11-21T08:00:00.000Z',
    account: 'ann@example.com',
    token: 'laptop',
    group: '默认【官转·稳定】',
    channel: 'main',
    stream: true,
    ending: 'complete',
    cache_write_1h_tokens: 1,
    estimated: false,
    clamped: false,
    amount_nano: 32_000_000,
    attempts: 2,
  })
  expect(second).toMatchObject({ channel: null, cause_text: odd, attempts: 0, model: '' })
})

test('CSV says the same as the JSON lines, to the letter', async () => {
  const names = contract.ledger.split(', ')
  const [json, csv, ledger] = await Promise.all([
    place.run(['export', 'requests']),
    place.run(['export', 'requests', '--format', 'csv']),
    place.run(['export', 'ledger', '--format', 'csv']),
  ])
  const [head = [], ...rows] = parseCsv(csv.out)
  const expected = lines(json.out).map((row) => head.map((name) => String(row[name] ?? '')))
  expect(rows).toEqual(expected)
  // An empty text is not the same as none.
  expect(csv.out).toContain(',"",,,chat,,')
  const [ledgerHead, opening, charged] = parseCsv(ledger.out)
  expect(ledgerHead).toEqual(names)
  expect(opening?.slice(3)).toEqual(['opening', '1000000000', '', '', '1000000000'])
  expect(charged?.slice(3)).toEqual(['charge', '-32000000', 'req_1', '', '968000000'])
})

test('a span takes its beginning and leaves its end', async () => {
  const ids = async (...options: string[]) => {
    const { out } = await place.run(['export', 'requests', '--format', 'csv', ...options])
    return parseCsv(out)
      .slice(1)
      .map(([id]) => id)
  }
  expect(
    await ids('--since', '2026-11-21T08:00:00Z', '--until', '2026-11-21T10:00:00+01:00'),
  ).toEqual(['req_1'])
  expect(await ids('--since', '2026-11-21T09:00:00Z')).toEqual(['req_2'])
  expect(await ids('--until', '2026-11-21')).toEqual([])
  expect(await ids('--since', '100000d')).toEqual(['req_1', 'req_2'])
})

test('a reader that leaves early is no failure', async () => {
  const store = openSqliteStore({ path: join(place.path, 'many.db'), clock: () => now })
  await seed(store)
  const batch = Array.from({ length: 3000 }, (_, i) => settlement({ requestId: `req_${i}` }))
  await store.records.commit({ settle: batch })
  await store.close()
  await place.write('many.yaml', 'store: sqlite:./many.db\n')

  const child = await place.start(['export', 'requests', '--config', 'many.yaml'])
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  expect(new TextDecoder().decode(value)).toStartWith('{"request_id":"req_0"')
  await reader.cancel()
  expect(await child.exited).toBe(0)
  expect(await child.stderr.text()).toBe('')

  const whole = await place.run(['export', 'requests', '--config', 'many.yaml'])
  expect(lines(whole.out)).toHaveLength(3000)
})

test('a receipt can be read by a person', async () => {
  const { out } = await place.run(['receipt', 'req_1'])
  expect(out).toBe(`Request    req_1
When       2026-11-21 08:00:00 UTC, took 34 ms, first byte after 12 ms
Asked      chat completions, model small, streamed
By         ann@example.com, token "laptop", group 默认【官转·稳定】
Answer     200 complete
Channel    main, as small-1, speaking chat
Attempt 1  main: 503, upstream_error, first byte after 11 ms, took 33 ms
Attempt 2  main: 200, first byte after 11 ms, took 33 ms, upstream id up-1
Usage      reported by the upstream: {"prompt_tokens":16}
Price      number 1, valid from 2026-11-21 08:00:00 UTC: 0.04 USD per call

       COUNT  USD PER CALL   USD
calls      1          0.04  0.04
× 0.8 (multiplier of the group)
= 0.032 USD

Formula: 1 × 40000000 × 0.8 = 32000000 nano-USD
Ledger entry 2. The balance after it: 0.968 USD.
`)
  const refused = await place.run(['receipt', 'req_2'])
  expect(refused.out).toContain('Answer   404 refused: model_not_found (line\\n"quoted"')
  expect(refused.out).toEndWith('No price applied, so nothing was charged.\nNo ledger entry.\n')
})

test('a receipt for machines, and none for an unknown request', async () => {
  const { out } = await place.run(['receipt', 'req_1', '--json'])
  expect(JSON.parse(out)).toMatchObject({
    request_id: 'req_1',
    attempts: [
      { status: 503, cause: 'upstream_error' },
      { status: 200, cause: null },
    ],
    price: { id: 1, unit: 'call', per_call_nano: 40_000_000 },
    multiplier: 0.8,
    clamped: false,
    ledger_id: 2,
    balance_after_nano: 968_000_000,
    differences: [],
  })
  const unknown = await place.run(['receipt', 'req_nope', '--json'])
  expect(unknown).toMatchObject({ code: 1, out: '' })
  expect(unknown.err).toContain('There is no request "req_nope"')
})
