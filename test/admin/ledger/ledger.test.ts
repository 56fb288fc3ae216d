import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startConsoleScene } from '../../support/console-scene.ts'

let scene: Awaited<ReturnType<typeof startConsoleScene>>
beforeAll(async () => {
  scene = await startConsoleScene()
  await scene.chat()
  await scene.tollgate.settled()
  await scene.store.admin.adjust({
    ...{ account: 'user@example.com', kind: 'debit', amountNano: 1_500_000_000 },
    ...{ reason: '=HYPERLINK("http://evil.example")', idempotencyKey: null, actor: 'admin' },
  })
})
afterAll(() => scene.stop())

const path = '/api/v1/ledger'

describe('a ledger', () => {
  test('is one account’s own, newest first, in exact amounts', async () => {
    const { data } = await scene.ask('user', 'GET', path)
    expect(data.items).toMatchObject([
      { kind: 'debit', amount: '-1.5', balance_after: '98.4998', request_id: null, model: null },
      {
        ...{ kind: 'charge', amount: '-0.0002', balance_after: '99.9998' },
        ...{ reason: null, model: 'test-model' },
      },
      { kind: 'opening', amount: '100', balance_after: '100' },
    ])
    const other = await scene.ask('other', 'GET', path)
    expect(other.data.items).toMatchObject([{ kind: 'opening', amount: '10' }])
  })

  test('is listed by kind and time', async () => {
    const kinds = async (query: string) => {
      const { data } = await scene.ask('user', 'GET', `${path}?${query}`)
      return (data.items as { kind: string }[]).map(({ kind }) => kind)
    }
    expect(await kinds('kind=debit')).toEqual(['debit'])
    expect(await kinds('until=2020-01-01T00:00:00Z')).toEqual([])
    expect(await kinds('since=2020-01-01T00:00:00Z&page_size=2')).toEqual(['debit', 'charge'])
  })

  test('refuses what is no time and no kind', async () => {
    const since = await scene.ask('user', 'GET', `${path}?since=yesterday`)
    const kind = await scene.ask('user', 'GET', `${path}?kind=gift`)
    expect([since.status, since.field, kind.status, kind.field]).toEqual([
      ...[400, 'since', 400, 'kind'],
    ])
  })

  test('asks who is there', async () => {
    for (const rest of ['', '/export']) {
      expect((await scene.send(null, 'GET', path + rest)).status).toBe(401)
    }
  })
})

describe('a ledger as a file', () => {
  test('has no formula in it, and numbers as they are', async () => {
    const response = await scene.send('user', 'GET', `${path}/export?format=csv`)
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="ledger.csv"')
    const lines = (await response.text()).trimEnd().split('\n')
    expect(lines[0]).toBe(
      'id,created_at,account,kind,amount_nano,request_id,reason,balance_after_nano',
    )
    expect(lines[3]).toContain(`,-1500000000,,"'=HYPERLINK(""http://evil.example"")",98499800000`)
    expect(lines).toHaveLength(4)
  })

  test('is one object a line', async () => {
    const response = await scene.send('other', 'GET', `${path}/export?format=jsonl`)
    const rows = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows).toMatchObject([{ kind: 'opening', amount_nano: 10_000_000_000 }])
  })
})
