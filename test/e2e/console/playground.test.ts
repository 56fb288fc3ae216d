import { expect, test } from 'bun:test'
import { createBrowser } from '../../app/console/sign-in-scene.ts'
import { startBinary } from '../../support/binary.ts'
import { sseAnswer, startFakeUpstream } from '../../support/fake-upstream.ts'
import { shownModels, tollgateYaml } from '../../support/tollgate-yaml.ts'
import { dialects } from '../dialects.ts'
import { until } from '../until.ts'

const person = { email: 'person@example.com', password: 'a-good-long-password' }
const tokens = { input: 100, output: 50 }
const { chat } = dialects
const sent = chat.first(tokens) + chat.piece('你好，世界 🦜'.repeat(50)) + chat.last(tokens)

test('the compiled program: a model is asked in the playground, and its answer streams', async () => {
  await using upstream = startFakeUpstream(() => sseAnswer(sent, { cuts: { seed: 5 } }))
  const token = { name: 'play', key: 'sk-play-0123456789abcdefghijklmnop', group: 'default' }
  const account = { ...person, role: 'admin', balance: 1, tokens: [token] }
  await using gate = await startBinary({
    args: ['serve', '--log', 'json'],
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: upstream.url, models: shownModels, moreAccounts: [account] },
      }),
  })
  const browser = createBrowser(gate.url)
  expect(await browser.signIn(person)).toMatchObject({ status: 200 })
  const own = (await browser.get('/api/v1/tokens')) as { data?: { items?: { id: number }[] } }
  const path = `/api/v1/playground/chat?token=${own.data?.items?.[0]?.id}`
  const answer = await browser.post(path, chat.request(true))
  expect(answer.status).toBe(200)
  expect(answer.text).toContain('你好，世界 🦜'.repeat(50))
  expect(chat.isWhole(answer.text)).toBe(true)
  const id = answer.headers.get('x-request-id')
  const receipt = await until('its receipt', async () => {
    const found = await browser.get(`/api/v1/requests/${id}`)
    return found.status === 200 && (found as { data?: { amount?: string } }).data
  })
  expect(receipt).toMatchObject({ amount: '0.0002', token: 'play' })

  // Who leaves ends it upstream, too.
  upstream.handle(() => sseAnswer(sent.slice(0, 200), { ending: 'stall' }))
  const leaving = new AbortController()
  const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const begun = await fetch(gate.url + path, {
    method: 'POST',
    headers: { cookie, origin: gate.url, 'content-type': 'application/json' },
    body: JSON.stringify(chat.request(true)),
    signal: leaving.signal,
  })
  await begun.body?.getReader().read()
  leaving.abort()
  await upstream.last().aborted
  expect(gate.stderr.join('')).toBe('')
})
