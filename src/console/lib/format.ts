import { decimalsIn } from '../../look/money.ts'
import { type Language, localeOf, shownLanguage } from './language.ts'

/** A local time, `Nov 22, 4:40:01 PM`; with its year where that is not the present one. */
export function formatTime(time: Date, language: Language, now = new Date()): string {
  const isThisYear = time.getFullYear() === now.getFullYear()
  return new Intl.DateTimeFormat(localeOf(language), {
    ...(!isThisYear && { year: 'numeric' }),
    ...({ month: 'short', day: 'numeric' } as const),
    ...({ hour: 'numeric', minute: '2-digit', second: '2-digit' } as const),
  }).format(time)
}

/** A UTC day of the API, `2026-11-22`, as `Nov 22`; with its year where that is not the present one. */
export function formatDay(day: string, language: Language, now = new Date()): string {
  const isThisYear = day.startsWith(`${now.getUTCFullYear()}-`)
  return new Intl.DateTimeFormat(localeOf(language), {
    ...(!isThisYear && { year: 'numeric' }),
    ...({ month: 'short', day: 'numeric', timeZone: 'UTC' } as const),
  }).format(new Date(day))
}

/** `850 ms`, `1.2 s`, `3 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** A duration beside a scale: never rounded, so that no two marks read alike; '' for parts of 1 ms. */
export function formatDurationMark(ms: number): string {
  if (ms < 1000) return Number.isInteger(ms) ? `${ms} ms` : ''
  return ms < 60_000 ? `${ms / 1000} s` : formatDuration(ms)
}

/** The smallest amounts are nano-USD. */
const nanoDecimals = 9

/** Amounts beside a scale, in USD: all with as many decimals, none or at least two; from $10,000 on in short. */
export function moneyMarks(usd: readonly number[], short: Intl.NumberFormat): readonly string[] {
  const decimals = Math.max(
    0,
    ...usd.map((mark) => decimalsIn(mark.toFixed(nanoDecimals).replace(/\.?0+$/, ''))),
  )
  const shown = decimals === 0 ? 0 : Math.max(decimals, 2)
  return usd.map((mark) => `$${mark < 10_000 ? mark.toFixed(shown) : short.format(mark)}`)
}

/** `4 seconds ago`, `12 minutes ago`. */
export function formatAgo(seconds: number, language = shownLanguage()): string {
  const words = new Intl.RelativeTimeFormat(localeOf(language) ?? 'en')
  if (seconds < 60) return words.format(-seconds, 'second')
  if (seconds < 3600) return words.format(-Math.floor(seconds / 60), 'minute')
  return words.format(-Math.floor(seconds / 3600), 'hour')
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `512 B`, `1.3 MB`, `24 GB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), byteUnits.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${byteUnits[power]}`
}

const uptimeUnits = { en: [' d', ' h', ' min'], zh: [' 天', ' 小时', ' 分钟'] } as const

/** How long something has run: `3 d 4 h`, `4 h 12 min`, `5 min`. */
export function formatUptime(ms: number, language = shownLanguage()): string {
  const [day, hour, minute] = uptimeUnits[language]
  const minutes = Math.max(Math.floor(ms / 60_000), 0)
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return `${minutes}${minute}`
  return hours < 24
    ? `${hours}${hour} ${minutes % 60}${minute}`
    : `${Math.floor(hours / 24)}${day} ${hours % 24}${hour}`
}

/** A ratio that was rounded down, as people read it: never 100 % while something failed. */
export function formatRatio(ratio: number | null, noData: string): string {
  if (ratio === null) return noData
  return `${Math.floor(ratio * 10_000 + 1e-9) / 100} %`
}
