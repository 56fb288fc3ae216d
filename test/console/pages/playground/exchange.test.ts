import { afterAll, describe, expect, test } from 'bun:test'
import { protocols } from '../../../../src/console/pages/channels/channel-fields.ts'
import { consolePath, type Question } from '../../../../src/console/pages/playground/exchange.ts'
import { bodyOf } from '../../../../src/look/question.ts'
import { clientPath, curlOf } from '../../../../src/look/snippets.ts'
import { startConsoleScene } from '../../../support/console-scene.ts'
import { testKey } from '../../../support/tollgate-yaml.ts'

const scene = await startConsoleScene()
afterAll(scene.stop)

const question: Question = {
  ...{ token: 1, protocol: 'chat', model: 'test-model', system: "it's short" },
  ...{ user: 'hello', stream: false, maxTokens: 5 },
}

describe('a question of the playground', () => {
  test.each(protocols)('in %s is what the gateway takes, there and from a client', async (name) => {
    const asked = { ...question, protocol: name }
    const own = await scene.send('user', 'POST', consolePath(asked), bodyOf(asked))
    expect(own.status).toBe(200)
    const sent = scene.upstream.last().json()
    const request = new Request(`http://gateway.example${clientPath(asked)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(asked)),
    })
    expect((await scene.tollgate.app.handle(request)).status).toBe(200)
    expect(scene.upstream.last().json()).toEqual(sent)
  })

  test.each(protocols)('in %s carries the conversation and its images', async (name) => {
    const images = [{ type: 'image/png', data: 'aW1hZ2U=' }]
    const earlier = [{ user: 'first words', images, assistant: 'an answer' }]
    const asked = { ...question, protocol: name, images, earlier, temperature: 0.5 }
    const answer = await scene.send('user', 'POST', consolePath(asked), bodyOf(asked))
    expect([name, answer.status]).toEqual([name, 200])
    const sent = JSON.stringify(scene.upstream.last().json())
    const order = ['first words', 'an answer', 'hello'].map((text) => sent.indexOf(text))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(order).not.toContain(-1)
    expect(sent.split('aW1hZ2U=')).toHaveLength(3)
    expect(sent).toContain('"temperature":0.5')
  })

  test('can be run in a shell as it stands, whatever it says', async () => {
    const command = curlOf({ ...question, user: '$(exit 3) `id` "\'' }, 'http://gateway.example/')
    const [, ...rest] = command.split(' ')
    const shell = Bun.spawn(['sh', '-c', `KEY=k; printf '%s\\n' ${rest.join(' ')}`])
    const words = (await new Response(shell.stdout).text()).split('\n')
    expect(words).toContain('http://gateway.example/v1/chat/completions')
    expect(words).toContain('Authorization: Bearer k')
    const json = words.slice(words.indexOf('-d') + 1).join('\n')
    expect(JSON.parse(json)).toMatchObject({
      messages: [{ content: "it's short" }, { content: '$(exit 3) `id` "\'' }],
    })
  })
})
