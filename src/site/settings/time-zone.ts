import { readlinkSync } from 'node:fs'

/** The time zone of this machine, at one time. */
export interface TimeZone {
  /** As the IANA calls it. */
  readonly name: string
  /** `+08:00`; the zone may have another offset in another season. */
  readonly utcOffset: string
}

/**
 * Most servers are in UTC: that is told without the runtime's data of time zones, which takes 10 ms
 * and 6 MB to load. `localTime`: where the link to the machine's zone is.
 */
export function timeZoneAt(
  timeMs: number,
  zone = process.env.TZ,
  localTime = '/etc/localtime',
): TimeZone {
  if (namesUtc(zone || linkOf(localTime))) return { name: 'UTC', utcOffset: '+00:00' }
  return { name: Intl.DateTimeFormat().resolvedOptions().timeZone, utcOffset: utcOffset(timeMs) }
}

const namesUtc = (zone: string) => /^(.*\/zoneinfo\/)?(Etc\/)?UTC$/.test(zone)

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return '' // no link, or a system without it: the runtime knows
  }
}

function utcOffset(timeMs: number): string {
  const minutes = -new Date(timeMs).getTimezoneOffset()
  const two = (part: number) => String(part).padStart(2, '0')
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`
}
