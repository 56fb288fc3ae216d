import type { Clock } from './clock.ts'
import { printable } from './table.ts'

export type LogLevel = 'info' | 'warn' | 'error'
/** What a line says beside its message. Ids, names and counts: never keys, prompts or answers. */
export type LogFields = { readonly [name: string]: unknown }

/** One line per call. No method ever throws. */
export interface Logger {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export interface LoggerOptions {
  /** Takes a line without its line break. */
  readonly sink: (line: string) => void
  /** For people at a terminal instead of machines. */
  readonly pretty: boolean
  readonly clock: Clock
  /** The least level that is written. */
  readonly level: LogLevel
}

const ranks = { info: 0, warn: 1, error: 2 } satisfies Record<LogLevel, number>
const colors = { info: 36, warn: 33, error: 31 } satisfies Record<LogLevel, number>
const maxTextLength = 2000
/** Values in one line: an object that contains itself must end somewhere. */
const maxValues = 500

/** Keys of tokens and vendors as they could slip into a message: a last guard, not the first. */
const keyPattern = /(?<![A-Za-z])(sk-|AIza|Bearer\s+)[\w.~+/=-]{8,}/gi

function cleanText(text: string): string {
  const cut = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text
  return cut.replace(keyPattern, '$1[hidden]')
}

interface Budget {
  left: number
}

/** An error's own parts; `stack` repeats the message, which may be all that tells the cause. */
function errorParts({ name, message, stack, cause }: Error): LogFields {
  return { name, message, stack, cause }
}

/** A value that can be written as JSON, with long texts cut and keys hidden. */
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

function prettyLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const mark = `\u001b[${colors[level]}m${level.padEnd(5)}\u001b[0m`
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ` \u001b[2m${printable(name)}=\u001b[0m${prettyValue(value)}`)
  return `${time.slice(11, 23)} ${mark} ${printable(message)}${pairs.join('')}`
}

/** A field that has a name of the line's own gets out of its way: `level` becomes `level_`. */
function jsonLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const line: { [name: string]: unknown } = { time, level, message }
  for (const [name, value] of Object.entries(fields)) {
    line[Object.hasOwn(line, name) ? `${name}_` : name] = value
  }
  return JSON.stringify(line)
}

/** A line without any of these holds no key: `keyPattern` needs one of them. */
const mayHoldKey = /sk-|AIza|Bearer/i

/** Whether a value is written as it is. */
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
 * The line of `jsonLine` for plain fields without keys, in a fifth of the time; undefined for all
 * others. Every request writes one.
 */
function plainLine(time: string, level: LogLevel, message: string, fields: LogFields) {
  let left = maxValues
  for (const name in fields) {
    if (name === 'time' || name === 'level' || name === 'message') return undefined
    const value = fields[name]
    if (value === undefined) continue
    if (name.length > maxTextLength || !isPlain(value) || --left <= 0) return undefined
  }
  if (left === maxValues || message.length > maxTextLength) return undefined
  const begin = `{"time":"${time}","level":"${level}","message":${JSON.stringify(message)},`
  const line = begin + JSON.stringify(fields).slice(1)
  return mayHoldKey.test(line) ? undefined : line
}

/** A logger that writes JSON lines, or lines for people, to `sink`. */
export function createLogger({ sink, pretty, clock, level }: LoggerOptions): Logger {
  const format = pretty ? prettyLine : jsonLine

  function write(line: LogLevel, message: string, fields: LogFields = {}): void {
    if (ranks[line] < ranks[level]) return
    try {
      const time = new Date(clock()).toISOString()
      const plain = pretty ? undefined : plainLine(time, line, message, fields)
      sink(
        plain ?? format(time, line, cleanText(message), cleanFields(fields, { left: maxValues })),
      )
    } catch {
      // A line that can't be written must not fail the work that it tells of; say so if possible.
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
