import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import OpenAI from 'openai'
import { allDialects, type Dialect, wholeStream } from '../e2e/dialects.ts'
import { temporaryDirectory } from '../store/support.ts'
import {
  type FakeUpstream,
  jsonAnswer,
  sseAnswer,
  startFakeUpstream,
} from '../support/fake-upstream.ts'
import { lendDatabase } from '../support/lent-databases.ts'
import { hasPostgres } from '../support/postgres.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { type Running, type ServingOptions, startServing } from './serving.ts'

// Responses that were translated: no upstream knows them by the ids that their clients were given. They
// are continued, fetched and deleted by what the gateway has kept.

const strangerKey = 'sk-stranger-0123456789abcdefghijkl'
const siblingKey = 'sk-sibling-0123456789abcdefghijklm'
const tokens = { input: 30, output: 7 }

/** A gateway before one channel that speaks another protocol. */
class Scene {
  readonly upstream: FakeUpstream
  readonly #dialect: Dialect
  gateway!: Running

  constructor(dialect: Dialect) {
    this.#dialect = dialect
    this.upstream = startFakeUpstream(({ path, text }) => {
      const isStream = path.includes('stream') || /"stream":true/.test(text())
      return isStream
        ? sseAnswer(wholeStream(dialect, tokens, ['Hel', 'lo.']))
        : jsonAnswer(dialect.body(tokens))
    })
  }

  async start(
    settings: object = {},
    store?: string,
    more: Partial<ServingOptions> = {},
  ): Promise<this> {
    const own = { name: 'own', key: strangerKey, group: 'default' }
    this.gateway = await startServing({
      ...{ upstream: this.upstream.url, speaks: [this.#dialect.name], settings },
      ...(store && { store }),
      ...more,
      moreAccounts: [
        { email: 'stranger@example.com', balance: 1, tokens: [own] },
        {
          ...{ email: 'sibling@example.com', balance: 1 },
          tokens: [{ name: 'sibling', key: siblingKey, group: 'default' }],
        },
      ],
    })
    return this
  }

  client(apiKey = testKey): OpenAI {
    const baseURL = `${this.gateway.serving.url}/v1`
    return new OpenAI({ baseURL, apiKey, maxRetries: 0, fetchOptions: { proxy: false } as object })
  }

  /** What the upstream was asked last. */
  asked(): Record<string, never> {
    return this.upstream.last().json() as Record<string, never>
  }

  async stop(): Promise<void> {
    await this.gateway[Symbol.asyncDispose]()
    await this.upstream.stop()
  }
}

const model = 'test-model'
const foreign = allDialects.filter(({ name }) => name !== 'responses')
/** The conversation of a request in its protocol. */
const turnsOf = (body: Record<string, never>) =>
  (body.messages ?? body.contents) as unknown as readonly unknown[]
const textOf = (value: unknown) => JSON.stringify(value)

describe.each(foreign)('on a channel that speaks $name', (dialect) => {
  const scene = new Scene(dialect)
  beforeAll(async () => {
    await scene.start()
  })
  afterAll(() => scene.stop())

  test('a response is continued by its id: each turn begins with the one before', async () => {
    const { responses } = scene.client()
    let previous: string | undefined
    let before: readonly unknown[] = []
    for (const input of ['Say one.', 'Say two.', 'Say three.']) {
      const previous_response_id = previous ?? null
      const made = await responses.create({ model, input, previous_response_id })
      expect(made).toMatchObject({ store: true, previous_response_id, output_text: 'hello' })
      const turns = turnsOf(scene.asked())
      expect(turns.slice(0, before.length)).toEqual([...before])
      expect(turns).toHaveLength(before.length === 0 ? 1 : before.length + 2)
      expect(textOf(turns.at(-1))).toContain(input)
      before = turns
      previous = made.id
    }
    expect(textOf(before)).toMatch(/one.*hello.*two.*hello.*three/)
  })

  test('a stream is continued as soon as its last event is here', async () => {
    const { responses } = scene.client()
    for (let round = 0; round < 5; round++) {
      const stream = await responses.create({ model, input: 'Say one.', stream: true })
      let id = ''
      for await (const event of stream) {
        if (event.type === 'response.completed') id = event.response.id
      }
      await responses.create({ model, input: 'Say two.', previous_response_id: id })
      expect(textOf(turnsOf(scene.asked()))).toMatch(/one.*Hello\..*two/)
    }
  })

  test('an item is told by its id alone', async () => {
    const { responses } = scene.client()
    const first = await responses.create({ model, input: 'Say one.' })
    const items = first.output.map((item) => ({
      type: 'item_reference' as const,
      id: String('id' in item ? item.id : ''),
    }))
    const user = (content: string) => ({ role: 'user' as const, content })
    const input = [user('Say one.'), ...items, user('Say two.')]
    await responses.create({ model, input })
    expect(textOf(turnsOf(scene.asked()))).toMatch(/one.*hello.*two/)
  })

  test('it is fetched and deleted by its account alone', async () => {
    const own = scene.client().responses
    const made = await own.create({ model, input: 'Say one.' })
    expect(textOf(await own.retrieve(made.id))).toBe(textOf(made))
    const asked = scene.upstream.requests.length
    const others = scene.client(strangerKey).responses
    const referring = [{ type: 'item_reference' as const, id: String(made.output[0]?.id) }]
    for (const refused of [
      others.retrieve(made.id),
      others.delete(made.id),
      others.create({ model, input: 'What did I say?', previous_response_id: made.id }),
      others.create({ model, input: referring }),
    ]) {
      expect(await refused.catch((error: unknown) => error)).toBeInstanceOf(OpenAI.NotFoundError)
    }
    expect(scene.upstream.requests).toHaveLength(asked)
    await own.delete(made.id)
    for (const gone of [own.retrieve(made.id), own.delete(made.id)]) {
      expect(await gone.catch((error: unknown) => error)).toBeInstanceOf(OpenAI.NotFoundError)
    }
  })
})

describe('what is kept', () => {
  const [chat] = foreign as [Dialect]
  const scene = new Scene(chat)
  beforeAll(async () => {
    await scene.start()
  })
  beforeEach(() => scene.gateway.configure({}))
  afterAll(() => scene.stop())

  const create = async (more: object, key = testKey, headers: object = {}) => {
    const asked = { model, input: 'Say one.', ...more }
    const answer = await scene.gateway.ask('/v1/responses', asked, key, headers)
    return {
      status: answer.status,
      dropped: answer.headers.get('x-tollgate-dropped'),
      body: (await answer.json()) as Record<string, never>,
    }
  }
  const unknown = { status: 404, body: { error: { code: 'previous_response_not_found' } } }

  test('is nothing of a request that says no', async () => {
    const { body } = await create({ store: false })
    expect(body.store as unknown).toBe(false)
    expect(await create({ previous_response_id: body.id })).toMatchObject(unknown)
  })

  test('is nothing where it is switched off: the id is refused by name, as it was', async () => {
    const kept = await create({})
    await scene.gateway.configure({ settings: { keep_responses: '0s' } })
    const { body, dropped } = await create({ store: true })
    expect([body.store, dropped]).toEqual([false, 'store'] as never[])
    for (const id of [body.id, kept.body.id]) {
      expect(await create({ previous_response_id: id })).toMatchObject({
        ...{ status: 400, body: { error: { code: 'unsupported_parameter' } } },
      })
    }
  })

  test('is told: nothing of the wish is left out, in strict mode neither', async () => {
    for (const store of [true, null, undefined]) {
      const made = await create({ store }, testKey, { 'x-tollgate-strict': 'true' })
      expect(made).toMatchObject({ status: 200, dropped: null, body: { store: true } })
    }
  })

  test('is what was asked and answered; instructions are of one request', async () => {
    const first = await create({ instructions: 'Be brief.', input: 'Say one.' })
    await create({ previous_response_id: first.body.id, input: 'Say two.' })
    expect(textOf(scene.asked())).not.toContain('brief')
  })

  test('is paid by who goes on with it, as if it had been sent whole', async () => {
    const long = 'A word or two. '.repeat(40_000)
    const { body } = await create({ input: long, max_output_tokens: 16 }, siblingKey)
    const { admin } = scene.gateway.instance.store
    await admin.adjust({
      ...{ account: 'sibling@example.com', kind: 'debit', amountNano: 950_000_000 },
      ...{ reason: 'a test', idempotencyKey: null, actor: 'a test' },
    } as const)
    await scene.gateway.serving.reload()
    expect((await create({ max_output_tokens: 16 }, siblingKey)).status).toBe(200)
    const asked = scene.upstream.requests.length
    const more = { previous_response_id: body.id, max_output_tokens: 16 }
    expect((await create(more, siblingKey)).status).toBe(401)
    expect(scene.upstream.requests).toHaveLength(asked)
  })

  test('is counted where a count is asked for', async () => {
    const { body } = await create({ input: 'A word or two. '.repeat(500) })
    const count = async (previous_response_id: unknown) => {
      const asked = { model, input: 'Say one.', previous_response_id }
      const answer = await scene.gateway.ask('/v1/responses/input_tokens', asked)
      return ((await answer.json()) as { input_tokens: number }).input_tokens
    }
    expect(await count(null)).toBeLessThan(20)
    expect(await count(body.id)).toBeGreaterThan(2_000)
  })

  test('is a conversation of megabytes, too', async () => {
    const first = await create({ input: 'A word or two. '.repeat(100_000), max_output_tokens: 16 })
    const more = { previous_response_id: first.body.id, input: 'Say two.', max_output_tokens: 16 }
    const { body, dropped } = await create({ ...more, store: true })
    expect([body.previous_response_id, body.store, dropped]).toEqual([
      ...[first.body.id, true, null],
    ] as never[])
    const turns = turnsOf(scene.asked())
    expect(textOf(turns[0]).length).toBeGreaterThan(1_500_000)
    expect(textOf(turns.slice(1))).toMatch(/hello.*two/)
  })

  test('can not grow beyond what a body may have', async () => {
    const first = await create({ input: 'x'.repeat(60_000) })
    await scene.gateway.configure({ server: { max_body: '64KB' } })
    const more = { previous_response_id: first.body.id, input: 'y'.repeat(60_000) }
    expect(await create(more)).toMatchObject({
      ...{ status: 413, body: { error: { code: 'body_too_large' } } },
    })
    const [message] = first.body.output as unknown as readonly { readonly id: string }[]
    const item = { type: 'item_reference', id: message?.id }
    const many = { input: Array.from({ length: 800 }, () => item) }
    expect((await create(many)).status).toBe(413)
  })
})

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
    for (const name of readdirSync(dirname(path))) {
      expect(readFileSync(join(dirname(path), name)).includes('xylophone')).toBe(false)
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
