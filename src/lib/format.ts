/** A list in one line; `none` replaces an empty list. */
export const listed = (items: readonly string[], none: string): string =>
  items.length === 0 ? none : items.join(', ')

/** A whole number with thousands separators: `213,000`. Not by the locale, whose data takes megabytes. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

/** `1 channel`, `2 channels`. */
export const counted = (count: number, thing: string): string =>
  `${grouped(count)} ${thing}${count === 1 ? '' : 's'}`

export const isoTime = (ms: number): string => new Date(ms).toISOString()

/** An ISO time for display: `2026-11-21 08:30:12 UTC`. */
export const humanTime = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`

/** Milliseconds for display. */
export const humanDuration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`)

const byteUnits = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Bytes for display: `512 bytes`, `1.3 MB`, `24 GB`. */
export function humanBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), byteUnits.length - 1)
  const value = bytes / 1000 ** power
  const text = power === 0 || value >= 10 ? String(Math.round(value)) : value.toFixed(1)
  return `${text} ${byteUnits[power]}`
}

const durationUnits = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 }
const sizeUnits = {
  GiB: 2 ** 30,
  GB: 1e9,
  MiB: 2 ** 20,
  MB: 1e6,
  KiB: 2 ** 10,
  KB: 1e3,
  kB: 1e3,
  B: 1,
}

type Units = { readonly [unit: string]: number }

function parseWithUnit(text: string, units: Units): number | undefined {
  const match = /^(\d{1,15})([A-Za-z]{1,3})$/.exec(text)
  const unit = match?.[2] ?? ''
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined
  const value = Number(match?.[1]) * (factor ?? Number.NaN)
  return Number.isSafeInteger(value) ? value : undefined
}

function formatWithUnit(value: number, units: Units): string {
  const fitting = Object.entries(units).find(
    ([, factor]) => value >= factor && value % factor === 0,
  )
  const [unit, factor] = fitting ?? Object.entries(units).at(-1) ?? ['', 1]
  return `${value / factor}${unit}`
}

/** Milliseconds of `250ms`, `10s`, `5m`, `2h`, `1d`; undefined for anything else. */
export function parseDurationMs(text: string): number | undefined {
  return parseWithUnit(text, durationUnits)
}

/** Bytes of `100B`, `512KiB`, `10MB`, `1GiB`; undefined for anything else. */
export function parseSizeBytes(text: string): number | undefined {
  return parseWithUnit(text, sizeUnits)
}

/** The shortest exact text that `parseDurationMs` accepts: `90000` is `90s`. */
export function formatDurationMs(durationMs: number): string {
  return formatWithUnit(durationMs, durationUnits)
}

/** The shortest exact text that `parseSizeBytes` accepts: `67108864` is `64MiB`. */
export function formatSizeBytes(sizeBytes: number): string {
  return formatWithUnit(sizeBytes, sizeUnits)
}

/** The JSON of a value for a message: whole when short. */
export function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${Array.from(text.slice(0, 60)).slice(0, 57).join('')}…` : text
}
