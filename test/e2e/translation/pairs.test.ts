import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { protocolNames } from '../../../src/protocols/protocol.ts'
import { type Bench, startBench } from './bench.ts'
import { answerScenes } from './scenarios/answers.ts'
import { endingScenes } from './scenarios/endings.ts'
import { faultScenes } from './scenarios/faults.ts'
import { honestyScenes } from './scenarios/honesty.ts'
import { imageScenes } from './scenarios/images.ts'
import { moveScenes } from './scenarios/moves.ts'
import { rawScenes } from './scenarios/raw.ts'
import { reasoningScenes } from './scenarios/reasoning.ts'

// Each vendor's own SDK on channels of the three other protocols. The upstreams refuse what their
// vendors would; every answer is looked at as its SDK shows it, as it came, and in the records.

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench[Symbol.asyncDispose]())

afterEach(() => {
  const refused = Object.values(bench.vendors).flatMap(({ violations }) => violations.splice(0))
  expect(refused).toEqual([])
})

const pairs = protocolNames.flatMap((client) =>
  protocolNames.filter((upstream) => upstream !== client).map((upstream) => ({ client, upstream })),
)

describe.each(pairs)('a $client client on a $upstream channel', (names) => {
  const get = () => bench
  answerScenes(get, names)
  imageScenes(get, names)
  reasoningScenes(get, names)
  moveScenes(get, names)
  endingScenes(get, names)
  faultScenes(get, names)
  honestyScenes(get, names)
  rawScenes(get, names)
})

test('every request is recorded once, with its two protocols, and charged by its usage', () =>
  bench.compareRecords())
