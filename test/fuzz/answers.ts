import { withExactCalls } from '../../src/protocols/canonical/json-text.ts'
import { isJsonObject } from '../../src/protocols/json.ts'
import type { ProtocolName } from '../../src/protocols/protocol.ts'
import { protocols } from '../protocols/translation/pairs.ts'
import { corpora, material } from './corpus.ts'
import { mutate } from './mutate.ts'
import { type Depth, deepened, depthFrom } from './oddities.ts'
import { factsFor, othersThan, poolOf } from './scene.ts'
import { demand, type Trial } from './trial.ts'

interface AnswerCase {
  readonly body: unknown
  readonly depth: Depth | undefined
  /** Which request of the pool was asked. */
  readonly asked: number
}

/** Whole answers of a protocol: written for the clients of all others, or told as an error. */
export function answerTrial(protocol: ProtocolName): Trial<AnswerCase> {
  const tally = { answers: 0, errors: 0 }
  return {
    name: 'answers',
    protocol,
    tally,
    weight: () => 1,
    make(dice) {
      const body = JSON.parse(corpora[protocol].answers.pick(dice))
      mutate(body, dice, material)
      return { body, depth: depthFrom(dice), asked: dice.below(40) }
    },
    check({ body, depth, asked }) {
      const shallow = JSON.stringify(body)
      const text = depth === undefined ? shallow : deepened(shallow, depth)
      const answer: unknown = JSON.parse(text)
      if (!isJsonObject(answer)) return
      const written = () => (depth === undefined ? JSON.stringify(answer) : '')
      const before = written()
      protocols[protocol].generation.createObserver().pushBody(answer)
      const exact = withExactCalls(answer, text)
      for (const client of othersThan(protocol)) {
        const pool = poolOf(client, protocol)
        const translation = pool[asked % pool.length]
        if (translation === undefined) continue
        const result = translation.body(exact, factsFor('sse'))
        if (result instanceof Uint8Array) {
          tally.answers++
          demand(isJsonObject(JSON.parse(new TextDecoder().decode(result))), 'no object')
        } else {
          tally.errors++
          checkError('unfit' in result ? result.unfit : result)
        }
        checkError(translation.refusal(answer))
      }
      demand(written() === before, 'the answer was changed')
    },
  }
}

function checkError({
  message,
  code,
  status,
}: {
  readonly message: unknown
  readonly code?: unknown
  readonly status?: unknown
}): void {
  demand(typeof message === 'string' && message !== '', () => `an error without words: ${message}`)
  demand(code === undefined || typeof code === 'string', () => `an error's code is ${code}`)
  const isStatus = Number.isInteger(status) && Number(status) >= 400 && Number(status) < 600
  demand(status === undefined || isStatus, () => `an error's status is ${status}`)
}
