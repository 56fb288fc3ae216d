import type { Clock } from './clock.ts'
import { printable } from './table.ts'

export type LogLevel = 'info' | 'warn' | 'error'
/** Fields of a line besides its message. Ids, names and counts: never keys, prompts or answers. */
export type LogFields = { readonly [name: string]: unknown }

export interface Logger {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export interface LoggerOptions {
  readonly sink: (line: string) => void
  /** Human-readable lines instead of JSON. */
  readonly pretty: boolean
  readonly clock: Clock
  readonly level: LogLevel
  /** Number of the worker whose lines these are; each of them says so. */
  readonly worker?: number | undefined
}

const ranks = { info: 0, warn: 1, error: 2 } satisfies Record<LogLevel, number>
const colors = { info: 36, warn: 33, error: 31 } satisfies Record<LogLevel, number>
const maxTextLength = 2000
/** Values per line, at most: a cyclic object must end. */
const maxValues = 500

/** Keys of tokens and vendors that a message may contain: the last guard, not the first. */
const keyPattern = /(?<![A-Za-z])(sk-|AIza|Bearer\s+)[\w.~+/=-]{8,}/gi

function cleanText(text: string): string {
  const cut = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text
  return cut.replace(keyPattern, '$1[hidden]')
}

interface Budget {
  left: number
}

/** An error's own fields; `stack` repeats the message, which may be the only hint of the cause. */
function errorParts({ name, message, stack, cause }: Error): LogFields {
  return { name, message, stack, cause }
}

/** A JSON value, with long texts cut and keys redacted. */
function cleanValue(value: unknown, budget: Budget): unknown {
  budget.left--
  if (typeof value === 'string') return cleanText(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`
  if (typeof value !== 'object' || value === null) return value
  if (budget.left <= 0) return '[more]'
  if (value instanceof Error) return cleanFields(errorParts(value), budget)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toJSON()
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (!Array.isArray(value)) return cleanFields(value, budget)
  return value.slice(0, budget.left).map((item) => cleanValue(item, budget))
}

function cleanFields(fields: object, budget: Budget): LogFields {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  const shown = present.slice(0, Math.max(budget.left, 0))
  return Object.fromEntries(
    shown.map(([name, value]) => [cleanText(name), cleanValue(value, budget)]),
  )
}

function prettyValue(value: unknown): string {
  const text =
    typeof value === 'string' && /^[^\s"=\p{Cc}]+$/u.test(value) ? value : JSON.stringify(value)
  return printable(text ?? 'undefined')
}

/** What each line begins with. */
interface Head {
  readonly time: string
  readonly level: LogLevel
  readonly worker: number | undefined
}

function prettyLine({ time, level, worker }: Head, message: string, fields: LogFields): string {
  const mark = `\u001b[${colors[level]}m${level.padEnd(5)}\u001b[0m`
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ` \u001b[2m${printable(name)}=\u001b[0m${prettyValue(value)}`)
  const who = worker === undefined ? '' : `\u001b[2mw${worker}\u001b[0m `
  return `${time.slice(11, 23)} ${mark} ${who}${printable(message)}${pairs.join('')}`
}

/** A field that collides with a name of the line is renamed: `level` becomes `level_`. */
function jsonLine({ time, level, worker }: Head, message: string, fields: LogFields): string {
  const who = worker === undefined ? {} : { worker }
  const line: { [name: string]: unknown } = { time, level, ...who, message }
  for (const [name, value] of Object.entries(fields)) {
    line[Object.hasOwn(line, name) ? `${name}_` : name] = value
  }
  return JSON.stringify(line)
}

/** A fast test: `keyPattern` needs one of these. */
const mayHoldKey = /sk-|AIza|Bearer/i

function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      return value.length <= maxTextLength
    case 'number':
      return Number.isFinite(value)
    case 'boolean':
      return true
    default:
      return value === null
  }
}

/**
 * The result of `jsonLine` for plain fields without keys, five times faster; undefined for all others. Every
 * request logs one.
 */
function plainLine({ time, level, worker }: Head, message: string, fields: LogFields) {
  let left = maxValues
  for (const name in fields) {
    if (name === 'time' || name === 'level' || name === 'message') return undefined
    if (name === 'worker' && worker !== undefined) return undefined
    const value = fields[name]
    if (value === undefined) continue
    if (name.length > maxTextLength || !isPlain(value) || --left <= 0) return undefined
  }
  if (left === maxValues || message.length > maxTextLength) return undefined
  const who = worker === undefined ? '' : `"worker":${worker},`
  const begin = `{"time":"${time}","level":"${level}",${who}"message":${JSON.stringify(message)},`
  const line = begin + JSON.stringify(fields).slice(1)
  return mayHoldKey.test(line) ? undefined : line
}

/** Texts of times, the last of which is kept: under load many lines have the same. */
function createTimeText() {
  let lastMs = Number.NaN
  let lastText = ''
  return (timeMs: number): string => {
    if (timeMs === lastMs) return lastText
    lastText = new Date(timeMs).toISOString()
    lastMs = timeMs
    return lastText
  }
}

/** A logger that writes JSON or human-readable lines to `sink`. */
export function createLogger({ sink, pretty, clock, level, worker }: LoggerOptions): Logger {
  const format = pretty ? prettyLine : jsonLine
  const timeText = createTimeText()

  function write(line: LogLevel, message: string, fields: LogFields = {}): void {
    if (ranks[line] < ranks[level]) return
    try {
      const head = { time: timeText(clock()), level: line, worker }
      const plain = pretty ? undefined : plainLine(head, message, fields)
      sink(plain ?? format(head, cleanText(message), cleanFields(fields, { left: maxValues })))
    } catch {
      // Logging must never fail the work it describes; report the failure if possible.
      try {
        sink(JSON.stringify({ level: 'error', message: 'a log line could not be written' }))
      } catch {
        return
      }
    }
  }

  return {
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
  }
}
