import { describe, expect, test } from 'bun:test'
import { dialects } from '../e2e/dialects.ts'
import { until } from '../e2e/until.ts'
import { layCable } from '../support/cable.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { lendDatabase } from '../support/lent-databases.ts'
import { ask, hasPostgres } from '../support/postgres.ts'
import { usual } from './clocked.ts'
import { startServing } from './serving.ts'

const { chat } = dialects
const question = { model: 'test-model', messages: [{ role: 'user', content: 'hi' }] }

describe.skipIf(!hasPostgres)('a charge that PostgreSQL never confirms', () => {
  test('is of an answer that the client got, and made once', async () => {
    await using database = await lendDatabase()
    const url = new URL(database.url)
    await using cable = await layCable(Number(url.port))
    url.port = String(cable.port)
    const upstream = startFakeUpstream(async () => {
      const aside = 'SELECT 1 FROM reservation'
      await until(
        'money to be set aside',
        async () => (await ask(database.url, aside)).length === 1,
      )
      await until('the gateway to be told so', cable.isQuiet)
      cable.cutAnswers(true)
      return jsonAnswer(chat.body(usual))
    })
    await using app = await startServing({
      ...{ upstream: upstream.url, store: url.href, balance: 1 },
      prices: { 'test-model': { per_call: 0.01 } },
    })
    const answer = await app.ask('/v1/chat/completions', question)
    cable.cutAnswers(false)
    expect([answer.status, await answer.json()]).toEqual([200, chat.body(usual)])
    const stored = () => ask(database.url, 'SELECT ending, status, amount_nano FROM request')
    await until('it to be stored', async () => (await stored()).length === 1)
    expect(await stored()).toEqual([{ ending: 'complete', status: 200, amount_nano: 10_000_000 }])
    const [account] = await ask(database.url, 'SELECT balance_nano, reserved_nano FROM account')
    expect(account).toEqual({ balance_nano: 990_000_000, reserved_nano: 0 })
    await upstream.stop()
  })
})
