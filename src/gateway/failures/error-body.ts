import { isJsonObject } from '../../protocols/json.ts'
import type { JsonObject } from '../../protocols/protocol.ts'

/** An upstream's error, whatever its shape. */
export interface ErrorBody {
  readonly words: ReadonlySet<string>
  readonly messages: readonly string[]
  readonly status: number | undefined
}

interface Found {
  readonly words: Set<string>
  readonly messages: string[]
  status: number | undefined
  left: number
}

const maxDepth = 6
const maxValues = 64
/** No sign is further from a message's beginning, and no nested error is longer. */
const maxText = 8_192

const wordKeys = ['code', 'type', 'status', 'status_code', 'reason', 'error_type']
const textKeys = ['message', 'msg', 'status_msg']
/** Fields that may hold further errors; `raw` is what a vendor's vendor said. */
const innerKeys = [
  'error',
  'errors',
  'detail',
  'details',
  'innererror',
  'metadata',
  'raw',
  'base_resp',
] as const

/** Reads an error of any shape: object, array, or text (maybe JSON). Skips quoted requests. */
export function readErrorBody(value: unknown): ErrorBody {
  const found: Found = { words: new Set(), messages: [], status: undefined, left: maxValues }
  for (const outer of Array.isArray(value) ? value.slice(0, 4) : [value]) {
    if (isJsonObject(outer) && isAnswer(outer)) readAnswer(outer, found)
    else readInner(outer, found, 0)
  }
  return found
}

const answerKeys = ['error', 'response', 'output', 'choices', 'candidates', 'content']
const isAnswer = (value: JsonObject) => answerKeys.some((key) => key in value)

/** Only the error of an answer or event is read. */
function readAnswer(answer: JsonObject, found: Found): void {
  readWords(answer, found)
  for (const key of [...textKeys, 'error', 'base_resp']) readInner(answer[key], found, 1)
  if (isJsonObject(answer.response)) readInner(answer.response.error, found, 1)
}

function readInner(value: unknown, found: Found, depth: number): void {
  if (value === undefined || value === null || depth > maxDepth || found.left <= 0) return
  found.left--
  if (typeof value === 'string') readText(value, found, depth)
  else if (Array.isArray(value)) {
    for (const element of value.slice(0, 10)) readInner(element, found, depth + 1)
  } else if (isJsonObject(value)) {
    readWords(value, found)
    for (const key of textKeys) readInner(value[key], found, depth + 1)
    for (const key of innerKeys) readInner(value[key], found, depth + 1)
  }
}

function readWords(object: JsonObject, found: Found): void {
  for (const key of wordKeys) {
    const value = object[key]
    const isNumber = typeof value === 'number'
    if (!isNumber && typeof value !== 'string') continue
    const word = String(value)
    if (/^[45]\d\d$/.test(word)) found.status ??= Number(word)
    else if (word !== '' && word.length <= 100) found.words.add(word.toLowerCase())
  }
}

function readText(text: string, found: Found, depth: number): void {
  const trimmed = text.trim()
  if (trimmed === '') return
  if (/^[[{]/.test(trimmed) && trimmed.length <= maxText) {
    try {
      readInner(JSON.parse(trimmed), found, depth + 1)
      return
    } catch {
      // Not JSON: plain words.
    }
  }
  found.messages.push(trimmed.slice(0, maxText))
}
