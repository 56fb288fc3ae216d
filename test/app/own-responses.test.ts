import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { Dialect } from '../e2e/dialects.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import {
  foreign,
  model,
  Scene,
  siblingKey,
  strangerKey,
  textOf,
  turnsOf,
} from './own-responses-scene.ts'

// Responses that were translated: no upstream knows them by the ids that their clients were given. They
// are continued, fetched and deleted by what the gateway has kept.

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
    for (const ask of [
      () => others.retrieve(made.id),
      () => others.delete(made.id),
      () => others.create({ model, input: 'What did I say?', previous_response_id: made.id }),
      () => others.create({ model, input: referring }),
    ]) {
      expect(await ask().catch((error: unknown) => error)).toBeInstanceOf(OpenAI.NotFoundError)
    }
    expect(scene.upstream.requests).toHaveLength(asked)
    await own.delete(made.id)
    for (const ask of [() => own.retrieve(made.id), () => own.delete(made.id)]) {
      expect(await ask().catch((error: unknown) => error)).toBeInstanceOf(OpenAI.NotFoundError)
    }
  })
})

test('to fetch and to delete it takes a place within the limits, and gives it back', async () => {
  const scene = new Scene(foreign[0] as Dialect)
  const limits = { concurrency: 1 }
  await scene.start({ queue_time: '0s' }, undefined, { group: { limits } })
  try {
    const { responses } = scene.client()
    const made = await responses.create({ model, input: 'Say one.' })
    for (let i = 0; i < 3; i++) expect((await responses.retrieve(made.id)).id).toBe(made.id)
    await responses.delete(made.id)
    expect((await responses.create({ model, input: 'Say two.' })).status).toBe('completed')
  } finally {
    await scene.stop()
  }
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

  test.each(['store', 'background'])(
    '%s is a boolean: what only means one is refused',
    async (name) => {
      for (const value of ['false', 0, {}]) {
        const answer = await create({ [name]: value })
        expect(answer).toMatchObject({ status: 400, body: { error: { param: name } } })
      }
      expect((await create({ [name]: null })).status).toBe(200)
    },
  )

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
