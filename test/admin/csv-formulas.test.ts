import { afterAll, describe, expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'
import { testKey } from '../support/tollgate-yaml.ts'
import { startRequestScene } from './requests/request-scene.ts'

/** What spreadsheets run, or take apart, if it is not guarded. */
const hostile = [
  '=1+1',
  '=HYPERLINK("http://evil.example","x")',
  "=cmd|' /C calc'!A0",
  '+1',
  '-1+2',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(A1)',
]
/** What stays as it is. */
const harmless = ['a,b', 'say "so"', 'two\nlines', '"', "'", 'a=1', '1-1', ' =1', '中文', '']

const scene = await startRequestScene()
afterAll(scene.stop)

type Row = Readonly<Record<string, string>>
async function rowsOf(person: 'user' | 'admin', path: string): Promise<Row[]> {
  const text = await (await scene.send(person, 'GET', path)).text()
  return parse(text, { columns: true }) as Row[]
}

/** Quoted by the rules of CSV, a text comes back as it was; only what would run has a mark. */
function expectGuarded(shown: readonly (string | undefined)[], meant: readonly string[]) {
  expect(shown).toEqual(meant.map((text) => (hostile.includes(text) ? `'${text}` : text)))
}

describe('a file for spreadsheets has nothing in it that runs', () => {
  test('requests: names of models, tokens and groups', async () => {
    const models = [...hostile, ...harmless].filter((name) => name !== '')
    for (const model of models) await (await scene.chat(model, testKey)).text()
    await scene.tollgate.settled()
    for (const [person, path] of [
      ['user', '/api/v1/requests/export'],
      ['admin', '/api/v1/admin/requests/export'],
    ] as const) {
      const rows = await rowsOf(person, path)
      expectGuarded(
        rows.map(({ model }) => model),
        models,
      )
      expect(new Set(rows.map(({ status, amount_nano }) => `${status} ${amount_nano}`))).toEqual(
        new Set(['404 0']),
      )
    }
  })

  test('the ledger: reasons; numbers stay numbers, those below zero, too', async () => {
    const { store } = scene
    const reasons = [...hostile, ...harmless].filter((reason) => reason !== '')
    for (const reason of reasons) {
      const entry = { account: 'user@example.com', amountNano: 1, actor: 'test', reason }
      await store.admin.adjust({ ...entry, kind: 'debit', idempotencyKey: null, mayOverdraw: true })
    }
    const rows = await rowsOf('user', '/api/v1/ledger/export?kind=debit')
    expectGuarded(
      rows.map(({ reason }) => reason),
      reasons,
    )
    expect(new Set(rows.map(({ amount_nano }) => amount_nano))).toEqual(new Set(['-1']))
  })
})
