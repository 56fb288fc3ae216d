import { expect, test } from 'bun:test'
import { createLogger } from '../../src/lib/log.ts'
import { createPublication, createSnapshots } from '../../src/site/published.ts'

function createParts(build: () => string | Promise<string>) {
  const lines: string[] = []
  let now = Date.UTC(2026, 10, 21, 12)
  const clock = () => {
    now += 60_000
    return now
  }
  const sink = (line: string) => lines.push(line)
  const log = createLogger({ sink, pretty: false, clock, level: 'info' })
  return { lines, publication: createPublication({ name: 'page', build, clock, log }) }
}

test('20 builds without a change leave the version as it is, one change makes a new one', async () => {
  let text = '{"price":1}'
  const { publication } = createParts(() => text)
  expect(publication.current()).toBeUndefined()
  await publication.refresh()
  const first = publication.current()
  for (let at = 0; at < 20; at++) await publication.refresh()
  expect(publication.current()).toBe(first)
  text = '{"price":2}'
  await publication.refresh()
  const second = publication.current()
  expect(Buffer.from(second?.body ?? []).toString()).toBe(text)
  expect(second?.etag).not.toBe(first?.etag)
  expect(second?.lastModified).not.toBe(first?.lastModified)
})

test('a build that fails, at once or later, is logged and leaves the last good version', async () => {
  let build: () => string | Promise<string> = () => {
    throw new Error('no rows')
  }
  const { publication, lines } = createParts(() => build())
  await publication.refresh()
  expect(publication.current()).toBeUndefined()
  expect(lines[0]).toContain('page not built; there is none to serve')
  build = () => 'good'
  await publication.refresh()
  const good = publication.current()
  build = () => Promise.reject(new Error('disk gone'))
  await publication.refresh()
  expect(publication.current()).toBe(good)
  expect(lines[1]).toContain('the last good one is served on')
  expect(lines[1]).toContain('disk gone')
  build = () => 'better'
  await publication.refresh()
  expect(publication.current()).not.toBe(good)
  expect(lines.length).toBe(2)
})

test('calls during a build share one more after it, which sees what changed meanwhile', async () => {
  let builds = 0
  let text = 'old'
  const { publication } = createParts(async () => {
    builds++
    const seen = text
    await Promise.resolve()
    return seen
  })
  const first = publication.refresh()
  text = 'new'
  const rest = [publication.refresh(), publication.refresh(), publication.refresh()]
  await publication.idle()
  await Promise.all([first, ...rest])
  expect(builds).toBe(2)
  expect(Buffer.from(publication.current()?.body ?? []).toString()).toBe('new')
})

test('who asks first begins a build; the timer builds at each interval, and never after it is stopped', async () => {
  let builds = 0
  let reached: () => void = () => undefined
  const { publication } = createParts(() => {
    if (++builds === 3) reached()
    return String(builds)
  })
  const third = new Promise<void>((resolve) => {
    reached = resolve
  })
  const snapshots = createSnapshots([publication], 3_600_000)
  await Promise.all([publication.ready(), publication.ready()])
  expect(builds).toBe(1)
  snapshots.setInterval(5)
  await third
  await snapshots.stop()
  const built = builds
  await Bun.sleep(20)
  expect(builds).toBe(built)
})

test('documents that nobody asks for are built soon after a start', async () => {
  const built = Promise.withResolvers<void>()
  const { publication } = createParts(() => {
    built.resolve()
    return 'first'
  })
  const snapshots = createSnapshots([publication], 3_600_000)
  expect(publication.current()).toBeUndefined()
  const waiting = setTimeout(() => {}, 60_000) // the timer itself keeps no process
  await built.promise
  clearTimeout(waiting)
  await snapshots.stop()
})
