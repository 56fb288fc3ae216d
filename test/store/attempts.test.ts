import { expect, test } from 'bun:test'
import type { AttemptFilter } from '../../src/store/ports/records.ts'
import { eachEngine } from './each-engine.ts'
import { attemptRow, channelWrite, collect, now, settlement } from './support.ts'

const all: AttemptFilter = { channelIds: [1], requestAgeMs: 0 }

eachEngine((open) => {
  async function openSeeded() {
    const opened = await open()
    await opened.store.admin.write({ channels: [channelWrite({ name: 'spare' })] })
    return opened
  }

  test('an attempt comes with its request, and with whether it was the last one', async () => {
    await using opened = await openSeeded()
    const { store } = opened
    await store.records.commit({
      settle: [
        settlement({ requestId: 'req_1', estimated: true, amountNano: 9, stateJson: '{}' }, [
          attemptRow({ status: 503, cause: 'upstream_error', upstreamRequestId: 'up-0' }),
          attemptRow({ channelId: 2, upstreamRequestId: 'up-spare' }),
          attemptRow({ startedAt: now + 5, usageRaw: '{"prompt_tokens":3}', keyMark: 'other' }),
        ]),
        settlement({ requestId: 'req_none' }, []),
      ],
    })
    const found = await collect(store.records.attempts(all))
    expect(found).toMatchObject([
      { upstreamRequestId: 'up-0', position: 0, isLast: false, status: 503, keyMark: 'mark' },
      { upstreamRequestId: 'up-1', position: 2, isLast: true, keyMark: 'other' },
    ])
    expect((await store.records.receipt('req_1'))?.request.stateJson).toBe('{}')
    expect(found[1]?.request).toEqual({
      requestId: 'req_1',
      model: 'small',
      clientProtocol: 'chat',
      upstreamProtocol: 'chat',
      estimated: true,
      inputTokens: 10,
      outputTokens: 20,
      reasoningTokens: 5,
      cacheReadTokens: 3,
      cacheWriteTokens: 2,
      cacheWrite1hTokens: 1,
      amountNano: 9,
    })
    const both = await collect(store.records.attempts({ ...all, channelIds: [1, 2] }))
    expect(both.map(({ channel }) => channel)).toEqual(['main', 'spare', 'main'])
  })

  test('the span is that of the attempts, whose requests may have come before it', async () => {
    await using opened = await openSeeded()
    const { store } = opened
    const settle = [0, 10, 20, 30].map((at) =>
      settlement({ requestId: `req_${at}`, createdAt: now + at }, [
        attemptRow({ startedAt: now + at + 15, upstreamRequestId: `up_${at}` }),
      ]),
    )
    await store.records.commit({ settle })
    const ids = async (filter: Partial<AttemptFilter>) =>
      (await collect(store.records.attempts({ ...all, ...filter }))).map(
        (row) => row.upstreamRequestId,
      )
    expect(await ids({ since: now + 25, until: now + 45, requestAgeMs: 15 })).toEqual([
      'up_10',
      'up_20',
    ])
    expect(await ids({ since: now + 16, requestAgeMs: 100 })).toEqual(['up_10', 'up_20', 'up_30'])
    expect(await ids({ until: now + 16 })).toEqual(['up_0'])
    expect(await ids({})).toHaveLength(4)
    expect(await ids({ channelIds: [] })).toEqual([])
  })

  test('reads page by page: every attempt once, also where many requests came at one moment', async () => {
    await using opened = await openSeeded()
    const { store } = opened
    const settle = Array.from({ length: 2500 }, (_, i) =>
      settlement({ requestId: `req_${i}`, createdAt: now + Math.floor(i / 1500) }, [
        attemptRow({ upstreamRequestId: `a_${i}` }),
        attemptRow({ upstreamRequestId: `b_${i}` }),
      ]),
    )
    await store.records.commit({ settle })
    const found = await collect(store.records.attempts(all))
    expect(found.length).toBe(5000)
    expect(new Set(found.map((row) => row.upstreamRequestId)).size).toBe(5000)
    expect(found.filter(({ isLast }) => isLast).length).toBe(2500)
  })
})
