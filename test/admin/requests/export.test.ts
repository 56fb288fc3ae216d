import { afterAll, describe, expect, test } from 'bun:test'
import { renderError } from '../../../src/admin/errors.ts'
import { createRequestExport } from '../../../src/admin/requests/service.ts'
import { createLogger } from '../../../src/lib/log.ts'
import type { ListedRequest } from '../../../src/store/ports/lists.ts'
import { people } from '../../support/console-scene.ts'
import { otherKey, startRequestScene } from './request-scene.ts'

const scene = await startRequestScene()
afterAll(scene.stop)

for (const [model, key] of [
  ['test-model'],
  ['=HYPERLINK("http://evil.example")'],
  ['other-model', otherKey],
] as const) {
  await (await scene.chat(model, key)).text()
}
await scene.tollgate.settled()
const [found] = (await scene.store.lists.requests({}, { size: 1 })).rows
if (!found) throw new Error('there is no request')
const row: ListedRequest = found

describe('an export', () => {
  test('is a file with the names of receipts, oldest first', async () => {
    const response = await scene.send('user', 'GET', '/api/v1/requests/export?format=csv')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="requests-\d{4}-\d\d-\d\d\.csv"$/,
    )
    const lines = (await response.text()).trimEnd().split('\n')
    expect(lines[0]).toStartWith('request_id,created_at,account,token,group,model,client_protocol,')
    expect(lines[0]).toContain(',amount_nano,first_byte_ms,duration_ms,attempts')
    expect(lines[0]).not.toContain('upstream_model')
    expect(lines.length).toBe(3)
    expect(lines[1]).toContain(',test-model,')
    expect(lines[1]).toContain(',200000,')
  })

  test('has no formulas that a spreadsheet would run', async () => {
    const response = await scene.send('user', 'GET', '/api/v1/requests/export?outcome=failed')
    expect(await response.text()).toContain(`,"'=HYPERLINK(""http://evil.example"")",`)
  })

  test('is JSON lines where those are asked for, exactly as it is on record', async () => {
    const path = '/api/v1/requests/export?format=jsonl&outcome=failed'
    const response = await scene.send('user', 'GET', path)
    expect(response.headers.get('content-disposition')).toContain('.jsonl"')
    const lines = (await response.text()).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { account: people.user, model: '=HYPERLINK("http://evil.example")', status: 404 },
    ])
  })

  test('of an administrator has all accounts, or one', async () => {
    const lines = async (query: string) => {
      const path = `/api/v1/admin/requests/export?format=jsonl${query}`
      return (await (await scene.send('admin', 'GET', path)).text()).trimEnd().split('\n')
    }
    expect((await lines('')).length).toBe(3)
    expect((await lines(`&account=${people.other}`)).length).toBe(1)
  })

  test('is refused with the name of what is wrong', async () => {
    const answer = await scene.ask('user', 'GET', '/api/v1/requests/export?since=soon')
    expect([answer.status, answer.field]).toEqual([400, 'since'])
    expect((await scene.ask('user', 'GET', '/api/v1/requests/export?format=xls')).status).toBe(400)
  })
})

const personOf = (accountId: number) =>
  ({ accountId, email: '', role: 'admin', isVouched: true, sessionId: '', signedInAt: 0 }) as const

/** An export of rows that are counted as they are read. */
function countedExport(rows: number, failsAt = Number.POSITIVE_INFINITY) {
  let read = 0
  const closed = Promise.withResolvers<void>()
  const lines: string[] = []
  const requestExport = createRequestExport({
    accounts: scene.store.admin,
    clock: () => 0,
    log: createLogger({
      ...{ sink: (line) => lines.push(line), pretty: false, level: 'warn' },
      clock: () => 0,
    }),
    lists: {
      async *exportRequests() {
        try {
          while (read < rows) {
            if (read === failsAt) throw new Error('the disk is gone')
            read++
            yield row
          }
        } finally {
          closed.resolve()
        }
      },
    },
  })
  const open = (accountId = 1) => {
    const { signal } = new AbortController()
    return requestExport('all', { who: personOf(accountId), query: { format: 'jsonl' }, signal })
  }
  return { open, read: () => read, closed: closed.promise, lines }
}

describe('what is read for an export', () => {
  test('is what was taken, and no more once its reader has left', async () => {
    const { open, read, closed } = countedExport(1_000_000)
    const reader = (await open()).body?.getReader()
    await reader?.read()
    await reader?.read()
    const readSoFar = read()
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(read()).toBe(readSoFar)
    await reader?.cancel()
    await closed
    expect(read()).toBe(readSoFar)
  })

  test('breaks off the file when it fails', async () => {
    const { open, lines } = countedExport(10_000, 5_000)
    const text = (await open()).text()
    await expect(text).rejects.toThrow('the disk is gone')
    expect(lines.join()).toContain('an export broke off')
  })

  test('ends with a reader who leaves before there is any, and is no fault that is logged', async () => {
    const lines: string[] = []
    const log = createLogger({
      ...{ sink: (line) => lines.push(line), pretty: false, level: 'info' },
      clock: () => 0,
    })
    const requestExport = createRequestExport({
      ...{ accounts: scene.store.admin, clock: () => 0, log },
      lists: {
        async *exportRequests(_, signal) {
          while (signal?.aborted === false) await Bun.sleep(1)
          signal?.throwIfAborted()
          yield row
        },
      },
    })
    const leaving = new AbortController()
    const { signal } = leaving
    const asked = { who: personOf(1), query: { format: 'jsonl' }, signal } as const
    const failed = requestExport('all', asked).catch((error: unknown) => error)
    leaving.abort()
    const request = new Request('http://gateway.example')
    const refused = renderError({ code: 'UNKNOWN', error: await failed, request }, log)
    expect(refused.status).toBe(503)
    expect(lines).toEqual([])
  })

  test('begins with its line of names when no row comes for long', async () => {
    const never = Promise.withResolvers<void>()
    const requestExport = createRequestExport({
      accounts: scene.store.admin,
      clock: () => 0,
      log: createLogger({ sink: () => {}, pretty: false, level: 'warn', clock: () => 0 }),
      lists: {
        async *exportRequests() {
          await never.promise
          yield row
        },
      },
    })
    const { signal } = new AbortController()
    const reader = (
      await requestExport('all', { who: personOf(1), query: { format: 'csv' }, signal })
    ).body?.getReader()
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toMatch(/^request_id,[\w,]+\n$/)
    never.resolve()
    const second = await reader?.read()
    expect(new TextDecoder().decode(second?.value)).toContain(row.requestId)
  })

  test('is refused with 503 when too many do, until one of them has ended', async () => {
    const { open } = countedExport(1_000_000)
    const opened = await Promise.all(Array.from({ length: 16 }, (_, at) => open(at)))
    await expect(open(16)).rejects.toMatchObject({ reason: 'unavailable' })
    await opened[0]?.body?.cancel()
    const again = await open(16)
    await Promise.all([again, ...opened.slice(1)].map((response) => response.body?.cancel()))
  })

  test('is refused with 503 when one account does too much, which keeps nobody else out', async () => {
    const { open } = countedExport(1_000_000)
    const opened = await Promise.all(Array.from({ length: 4 }, () => open(1)))
    await expect(open(1)).rejects.toMatchObject({ reason: 'unavailable' })
    opened.push(await open(2))
    await opened[0]?.body?.cancel()
    opened[0] = await open(1)
    await Promise.all(opened.map((response) => response.body?.cancel()))
  })
})
