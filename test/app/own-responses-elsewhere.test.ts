import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import OpenAI from 'openai'
import { allDialects, type Dialect } from '../e2e/dialects.ts'
import { temporaryDirectory } from '../store/support.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { lendDatabase } from '../support/lent-databases.ts'
import { hasPostgres } from '../support/postgres.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import {
  foreign,
  model,
  Scene,
  strangerKey,
  textOf,
  tokens,
  turnsOf,
} from './own-responses-scene.ts'
import { startServing } from './serving.ts'

// Translated responses go on elsewhere: with their vendor's reasoning, on other channels, behind another
// gateway, after a restart, and on another node.

describe('reasoning that is signed', () => {
  const [, messages] = foreign as [Dialect, Dialect]
  const scene = new Scene(messages)
  beforeAll(async () => {
    await scene.start()
  })
  afterAll(() => scene.stop())

  test('goes back to its vendor, whichever way it is told', async () => {
    const thinking = { type: 'thinking', thinking: 'One it is.', signature: 'c2lnbmVk' }
    scene.upstream.handle(() =>
      jsonAnswer({
        ...messages.body(tokens),
        content: [thinking, { type: 'text', text: 'One.' }],
      }),
    )
    const { responses } = scene.client()
    const first = await responses.create({ model, input: 'Say one.', reasoning: { effort: 'low' } })
    const items = first.output.map(({ id }) => ({
      type: 'item_reference' as const,
      id: String(id),
    }))
    const user = (content: string) => ({ role: 'user' as const, content })
    for (const more of [
      { previous_response_id: first.id, input: 'Say two.' },
      { input: [user('Say one.'), ...items, user('Say two.')] },
      { input: [user('Say one.'), ...first.output, user('Say two.')] as never },
    ]) {
      await responses.create({ model, reasoning: { effort: 'low' }, ...more })
      expect(turnsOf(scene.asked())[1]).toMatchObject({ content: [thinking, { text: 'One.' }] })
    }
  })
})

describe('where some channels speak the protocol', () => {
  const [chat] = foreign as [Dialect]
  const native = allDialects.find(({ name }) => name === 'responses') as Dialect
  const both = new Scene(chat)
  const second = startFakeUpstream(() => jsonAnswer(native.body(tokens)))
  beforeAll(async () => {
    const other = {
      name: 'native',
      speaks: { responses: `${second.url}/v1` },
      api_key: 'other-key',
    }
    await both.start({}, undefined, {
      ...{ group: { channels: ['main', 'native'] }, channel: { priority: 1 } },
      moreChannels: [{ ...other, models: [model], allow_private: true, priority: 2 }],
    })
  })
  afterAll(async () => {
    await both.stop()
    await second.stop()
  })

  test('what was translated goes on there, whole', async () => {
    second.handle(() => jsonAnswer({ error: { message: 'down' } }, 500))
    const { responses } = both.client()
    const first = await responses.create({ model, input: 'Say one.' })
    expect(first.id).toStartWith('resp_req_')
    second.handle(() => jsonAnswer(native.body(tokens)))
    both.upstream.handle(() => jsonAnswer({ error: { message: 'down' } }, 500))
    await both.gateway.configure({ settings: { channel_cooling: false } })
    const previous_response_id = first.id
    await responses.create({ model, input: 'Say two.', previous_response_id })
    const asked = second.last().json() as Record<string, unknown>
    expect(asked.previous_response_id).toBeNull()
    expect(textOf(asked.input)).toMatch(/one.*hello.*two/)
  })

  test('a gateway that is the upstream of another one keeps what it has translated', async () => {
    const behind = await new Scene(chat).start()
    await using front = await startServing({
      ...{ upstream: behind.gateway.serving.url, speaks: ['responses'] },
      channel: { api_key: testKey },
    })
    const baseURL = `${front.serving.url}/v1`
    const { responses } = new OpenAI({ baseURL, apiKey: testKey, maxRetries: 0 })
    const first = await responses.create({ model, input: 'Say one.' })
    await responses.create({ model, input: 'Say two.', previous_response_id: first.id })
    expect(textOf(turnsOf(behind.asked()))).toMatch(/one.*hello.*two/)
    expect((await responses.retrieve(first.id)).output_text).toBe('hello')
    await behind.stop()
  })
})

describe('over a restart', () => {
  const [chat] = foreign as [Dialect]
  const words = 'the hidden word is xylophone'

  test('it is continued from the file, in which nobody can read it', async () => {
    using directory = temporaryDirectory()
    const path = directory.file('gate.db')
    const scene = await new Scene(chat).start({}, path)
    const { id } = await scene.client().responses.create({ model, input: words })
    await scene.gateway[Symbol.asyncDispose]()
    const beside = readdirSync(dirname(path), { recursive: true, withFileTypes: true })
    for (const { parentPath, name } of beside.filter((entry) => entry.isFile())) {
      expect(readFileSync(join(parentPath, name)).includes('xylophone')).toBe(false)
    }
    // Nor does a row open under another account.
    await scene.start({}, path)
    await scene.client().responses.create({ model, input: 'And?', previous_response_id: id })
    expect(textOf(scene.asked())).toContain(words)
    const db = new Database(path)
    db.run('UPDATE response SET account_id = 2')
    const stolen = scene.client(strangerKey).responses.retrieve(id)
    expect(await stolen.catch((error: unknown) => error)).toBeInstanceOf(OpenAI.NotFoundError)
    db.close()
    await scene.stop()
  })
})

describe.skipIf(!hasPostgres)('two gateways with one PostgreSQL', () => {
  const [chat] = foreign as [Dialect]
  const before = process.env.TOLLGATE_SECRET
  beforeAll(() => {
    process.env.TOLLGATE_SECRET = 'one secret that all of the nodes have'
  })
  afterAll(() => {
    if (before === undefined) delete process.env.TOLLGATE_SECRET
    else process.env.TOLLGATE_SECRET = before
  })

  test('each goes on with what the other has answered, at once', async () => {
    await using database = await lendDatabase()
    const nodes = await Promise.all([0, 1].map(() => new Scene(chat)))
    for (const node of nodes) await node.start({}, database.url)
    const [first, second] = nodes as [Scene, Scene]
    const { responses } = first.client()
    for (let round = 0; round < 5; round++) {
      const stream = await responses.create({ model, input: 'Say one.', stream: true })
      for await (const event of stream) {
        if (event.type !== 'response.completed') continue
        const previous_response_id = event.response.id
        await second.client().responses.create({ model, input: 'Two.', previous_response_id })
        expect(textOf(turnsOf(second.asked()))).toMatch(/one.*Hello\..*Two/)
      }
    }
    await Promise.all(nodes.map((node) => node.stop()))
  })
})
