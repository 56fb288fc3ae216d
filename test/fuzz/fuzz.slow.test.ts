import { describe, expect, test } from 'bun:test'
import { protocolNames } from '../../src/protocols/protocol.ts'
import { hasRecordings } from '../support/recordings.ts'
import { longKinds } from './long-events.ts'
import { play } from './long-streams.ts'
import { faultsOf } from './report.ts'
import { othersThan } from './scene.ts'
import { advanceAll, runnersOf } from './trials.ts'

// A small part of `bun run fuzz`, the same one each time.

const inputs = 3_000

describe.each([...protocolNames])('%s, whatever comes', (protocol) => {
  test('is refused in words, or translated into what is well-formed', async () => {
    const runners = runnersOf(protocol, 1)
    await advanceAll(runners, inputs)
    const ran = runners.map((runner) => runner.ran)
    expect(faultsOf([{ protocol, ran, longStreams: [], heap: undefined }])).toEqual([])
    // Most of it must come far enough to try something.
    const [requests, events, answers, seals] = ran.map(({ tally }) => tally)
    const least = hasRecordings ? 200 : 50
    expect(requests?.read).toBeGreaterThan(least)
    expect(requests?.translated).toBeGreaterThan(least)
    expect(events?.ended).toBeGreaterThan(least / 2)
    expect(answers?.answers).toBeGreaterThan(least)
    expect(seals?.opened).toBeGreaterThan(5)
  })

  test.each(othersThan(protocol))('is written for %s, however long it gets', (client) => {
    for (const kind of longKinds) {
      expect(play(protocol, client, kind, 1_000).faults).toEqual([])
    }
  })
})
