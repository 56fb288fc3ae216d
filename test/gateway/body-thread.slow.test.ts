import { describe, expect, test } from 'bun:test'
import {
  checkBody,
  parseJsonBody,
  type RequestBody,
  scanInPieces,
} from '../../src/gateway/body/body.ts'
import { type BodyThread, isRefused } from '../../src/gateway/body-thread/job.ts'
import {
  isHeavy,
  nameOf,
  prepareOnThread,
  readOnThread,
  refusalOf,
} from '../../src/gateway/body-thread/prepare.ts'
import { doJob } from '../../src/gateway/body-thread/work.ts'
import { GatewayError } from '../../src/gateway/errors.ts'
import {
  createTranslation,
  type Translation,
  targetOf,
  withAnswers,
} from '../../src/gateway/translate/translation.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { type Operation, type ProtocolName, protocolNames } from '../../src/protocols/protocol.ts'
import { smallAnswers } from '../fuzz/made-answers.ts'
import { smallRequests } from '../fuzz/made-requests.ts'
import { sealer } from '../fuzz/oddities.ts'
import { candidateOf, factsFor, readRequest } from '../fuzz/scene.ts'
import { pairs, protocols, recordedRequests } from '../protocols/translation/pairs.ts'

const never = new AbortController().signal

/** Does jobs here, through what would be copied to and from another thread. */
const thread: BodyThread = {
  async run(_owner, job) {
    const done = await doJob(
      { sealer, countTokens: async (text) => text.length },
      structuredClone(job),
    )
    const result = structuredClone(done)
    if (isRefused(result)) throw refusalOf(result)
    return result as never
  },
}

const textsOf = (client: ProtocolName): readonly string[] => [
  ...smallRequests[client].map((body) => JSON.stringify(body)),
  ...recordedRequests
    .filter((one) => one.client === client)
    .map(({ body }) => JSON.stringify(body)),
]

const media = { of: () => async () => ({ mediaType: 'image/png', data: 'AAAA' }) }

/** What goes upstream, and what a client is told of the answers; or why not. */
async function outcomeOf(make: () => Translation | Promise<Translation>, upstream: ProtocolName) {
  try {
    const made = await make()
    const body = new TextDecoder().decode(await made.encode(never))
    const answers = smallAnswers[upstream].map((answer) => {
      const told = made.body(answer, factsFor('sse'))
      return told instanceof Uint8Array ? new TextDecoder().decode(told) : told
    })
    return { dropped: made.dropped, body, answers }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { kind: error.kind, message: error.message, param: error.details.param }
  }
}

/** All that the gateway takes from a body; or what it says against it. */
async function told(read: () => RequestBody | Promise<RequestBody>) {
  try {
    const { facts, conversation, rename, value, fields } = await read()
    const { text, uncounted, media, hiddenWork, amend, ...plain } = facts
    return {
      ...{ plain, fields, value: value(), text: text(), media: media() },
      uncounted: uncounted(),
      ...{ amend, hidden: hiddenWork?.(), conversation: conversation(asked) },
      renamed: rename('another-model'),
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { kind: error.kind, message: error.message, param: error.details.param }
  }
}

const asked = { hint: undefined, model: undefined }

/** Reads a body by jobs. */
const readThere = (bytes: Buffer, operation: Operation) =>
  readOnThread(thread, 'o', operation, asked, inOneGo(scanInPieces(bytes)), never)

function inOneGo<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

describe('a body that is read thread is read as it would be here', () => {
  test.each(protocolNames)('of %s', async (client) => {
    const operation = protocols[client].generation
    const broken = [{}, { model: 5 }, { model: 'm', messages: 'x', contents: 3, input: {} }]
    const texts = [...textsOf(client), ...broken.map((one) => JSON.stringify(one)), '{"model":']
    for (const text of texts) {
      const bytes = Buffer.from(text)
      const here = await told(() => checkBody(parseJsonBody(bytes), operation))
      expect(await told(() => readThere(bytes, operation))).toEqual(here)
    }
  })

  test('and written as it would be here', async () => {
    const { operations } = gemini
    const value = {
      requests: [{ model: 'models/a', content: { parts: [{ text: 'x' }] } }],
      ...{ spare: [1], provider: { order: ['b'] } },
    }
    const bytes = Buffer.from(JSON.stringify(value))
    const body = await readThere(bytes, operations.batchEmbed)
    expect(body.remote).toEqual({ isPlain: false })
    const changes = {
      ...{ model: 'b', isRenamed: true, quirks: [], mayHaveEmptyParts: undefined },
      cuts: [
        ['spare', 0],
        ['provider', 'order'],
      ],
    }
    const operation = nameOf(operations.batchEmbed)
    const job = { kind: 'write', bytes, operation, changes } as const
    const written = await thread.run<'write'>('o', job, never)
    expect(JSON.parse(Buffer.from(written.bytes).toString())).toEqual({
      requests: [{ model: 'models/b', content: { parts: [{ text: 'x' }] } }],
    })
  })

  test('with changes that are too long to be copied, it is written there', async () => {
    const long = { note: 'x'.repeat(5_000) }
    const messages = [{ role: 'user', content: 'x' }]
    const value = { model: 'm', messages, stream: true, stream_options: long }
    const { generation } = protocols.chat
    const body = await readThere(Buffer.from(JSON.stringify(value)), generation)
    expect(body.remote).toEqual({ isPlain: false })
    expect(body.facts.amend).toEqual({})
    const short = { ...value, stream_options: {} }
    const other = await readThere(Buffer.from(JSON.stringify(short)), generation)
    expect(other.remote).toEqual({ isPlain: true })
    expect(other.facts.amend).toEqual({ stream_options: { include_usage: true } })
  })
})

describe('a request that is translated on the body thread is as it would be here', () => {
  test.each(pairs)('$client to $upstream', async ({ client, upstream }) => {
    const candidate = candidateOf(upstream, 'test-model', [])
    const spoken = protocols[upstream]
    for (const text of textsOf(client)) {
      const read = readRequest(client, text)
      if (read === undefined) continue
      const { body, request } = read
      const { model } = request
      const task = { client: protocols[client], body, model, isStrict: false, owner: 'o' }
      const here = await outcomeOf(
        () => createTranslation({ sealer, media }, task, request, candidate, spoken),
        upstream,
      )
      const there = await outcomeOf(async () => {
        const find = await prepareOnThread(thread, task, media.of(), [[candidate, spoken]], never)
        const target = targetOf(candidate, spoken)
        return withAnswers(find(target), sealer, protocols[client], target)
      }, upstream)
      expect(there).toEqual(here)
    }
  })
})

test('a body is heavy by its values, or by its bytes', () => {
  const heavy = (value: object) => isHeavy(parseJsonBody(Buffer.from(JSON.stringify(value))))
  expect(heavy({ model: 'm', input: 'x'.repeat(900_000) })).toBe(false)
  expect(heavy({ model: 'm', input: 'x'.repeat(1_100_000) })).toBe(true)
  expect(heavy({ model: 'm', input: Array.from({ length: 3_000 }, () => 1) })).toBe(false)
  expect(heavy({ model: 'm', input: Array.from({ length: 5_000 }, () => 1) })).toBe(true)
})
