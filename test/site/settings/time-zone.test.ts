import { afterEach, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timeZoneAt } from '../../../src/site/settings/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'zone-'))
const summer = Date.UTC(2026, 6, 1)
const before = process.env.TZ
afterEach(() => {
  if (before === undefined) delete process.env.TZ
  else process.env.TZ = before
})

test.each([
  ['by its name', 'UTC', 'none'],
  ['by its long name', 'Etc/UTC', 'none'],
  ['by the link of the machine', '', '/usr/share/zoneinfo/Etc/UTC'],
  ['by the short link of the machine', '', '../usr/share/zoneinfo/UTC'],
])('UTC is known %s, without the data of time zones', (name, zone, target) => {
  const link = join(folder, name)
  symlinkSync(target, link)
  using format = spyOn(Intl, 'DateTimeFormat')
  expect(timeZoneAt(summer, zone, link)).toEqual({ name: 'UTC', utcOffset: '+00:00' })
  expect(format).not.toHaveBeenCalled()
})

test('another zone is asked of the runtime', () => {
  process.env.TZ = 'Europe/Berlin'
  expect(timeZoneAt(summer)).toEqual({ name: 'Europe/Berlin', utcOffset: '+02:00' })
  symlinkSync('/usr/share/zoneinfo/Europe/Berlin', join(folder, 'berlin'))
  expect(timeZoneAt(summer, '', join(folder, 'berlin')).name).toBe('Europe/Berlin')
  expect(timeZoneAt(summer, '', join(folder, 'missing')).name).toBe('Europe/Berlin')
  rmSync(folder, { recursive: true })
})
