import { afterAll, expect, test } from 'bun:test'
import { createBrowser } from '../../app/console/sign-in-scene.ts'
import { startBinary } from '../../support/binary.ts'
import { jsonAnswer, startFakeUpstream } from '../../support/fake-upstream.ts'
import { startOwnTime } from '../../support/own-time.ts'
import { testKey, tollgateYaml } from '../../support/tollgate-yaml.ts'
import { dialects } from '../dialects.ts'

const user = { email: 'live@example.com', password: 'a-good-long-password' }
const ownKey = `${testKey}-live`

const upstream = startFakeUpstream(() => jsonAnswer(dialects.chat.body({ input: 100, output: 50 })))
afterAll(() => upstream.stop())

test('the compiled program: requests are seen as they end, and exported', async () => {
  await using gate = await startBinary({
    config: (listen) =>
      tollgateYaml({
        ...{ listen, upstream: upstream.url },
        moreAccounts: [
          { ...user, balance: 1, tokens: [{ name: 'own', key: ownKey, group: 'default' }] },
        ],
      }),
  })
  const browser = createBrowser(gate.url)
  await browser.signIn(user)
  const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const get = (path: string) => fetch(gate.url + path, { headers: { cookie }, proxy: false })

  const live = await get('/api/v1/requests/live')
  expect(live.headers.get('content-type')).toBe('text/event-stream')
  expect(live.headers.get('x-accel-buffering')).toBe('no')
  const reader = live.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const readTo = async (end: string) => {
    while (!text.includes(end)) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: '' }
      if (done) throw new Error(`The events ended without "${end}": ${text}`)
      text += value
    }
  }
  await readTo('event: ready')

  const ask = (key: string, model: string) =>
    fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      proxy: false,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    })
  await (await ask(testKey, 'other-model')).text()
  await (await ask(ownKey, '模型 that nobody has')).text()
  using ownTime = startOwnTime()
  await readTo('模型 that nobody has')
  expect(ownTime.now()).toBeLessThan(2_000)
  expect(text).not.toContain('other-model')

  const file = await get('/api/v1/requests/export?format=csv')
  expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="requests-/)
  const lines = (await file.text()).trimEnd().split('\n')
  expect(lines.length).toBe(2)
  expect(lines[1]).toContain('模型 that nobody has')

  const ending = gate.kill('SIGTERM')
  await readTo('event: end\ndata: stopping')
  expect(await ending).toBe(0)
})
