import { describe, expect, test } from 'bun:test'
import { type Beside, isRefused } from '../../src/gateway/beside/job.ts'
import { isHeavy, prepareBeside, refusalOf } from '../../src/gateway/beside/prepare-beside.ts'
import { doJob } from '../../src/gateway/beside/work.ts'
import { parseJsonBody } from '../../src/gateway/body.ts'
import { GatewayError } from '../../src/gateway/errors.ts'
import {
  createTranslation,
  type Translation,
  targetOf,
  withAnswers,
} from '../../src/gateway/translation.ts'
import type { ProtocolName } from '../../src/protocols/protocol.ts'
import { smallAnswers } from '../fuzz/made-answers.ts'
import { smallRequests } from '../fuzz/made-requests.ts'
import { sealer } from '../fuzz/oddities.ts'
import { candidateOf, factsFor, readRequest } from '../fuzz/scene.ts'
import { pairs, protocols, recordedRequests } from '../protocols/translation/pairs.ts'

const never = new AbortController().signal

/** Does jobs here, through what would be copied to and from another thread. */
const beside: Beside = {
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

describe('a request that is translated beside is as it would be here', () => {
  test.each(pairs)('$client to $upstream', async ({ client, upstream }) => {
    const candidate = candidateOf(upstream, 'test-model', [])
    const spoken = protocols[upstream]
    for (const text of textsOf(client)) {
      const read = readRequest(client, text)
      if (read === undefined) continue
      const task = { ...read, client: protocols[client], isStrict: false, owner: 'o' }
      const here = await outcomeOf(
        () => createTranslation({ sealer, media }, task, candidate, spoken),
        upstream,
      )
      const asked = { ...task, beside, model: read.request.model, fetchMedia: media.of() }
      const there = await outcomeOf(async () => {
        const find = await prepareBeside(asked, [[candidate, spoken]], never)
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
