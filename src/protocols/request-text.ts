import { isJsonObject } from './json.ts'
import { argumentMembers } from './known-parts.ts'
import type { JsonObject } from './protocol.ts'

const deepest = 64

/** Members that are no prompt text: names, references, and media in base64 or opaque form. */
const notText = new Set([
  ...['type', 'id', 'role', 'tool_call_id', 'tool_use_id', 'call_id', 'cache_control'],
  ...['media_type', 'mimeType', 'mime_type', 'detail', 'signature', 'thoughtSignature'],
  ...['thought_signature', 'encrypted_content', 'image_url', 'file_url', 'file_data', 'file_id'],
  ...['input_audio', 'b64_json', 'data', 'inlineData', 'inline_data', 'fileData', 'url'],
])

/** What of a request is counted where no upstream reports its LLM tokens. */
interface RequestText {
  readonly text: () => string
  readonly uncounted: () => number
}

/**
 * The text of a request, for a rough count of its LLM tokens: every string of `prompts` but names,
 * references and media, and as JSON what the model gets as JSON: arguments of calls, and all of
 * `schemas` (tools, and how the answer shall be made). `uncounted`: how many characters of `body`, as
 * JSON, are not in it.
 */
export function requestText(
  body: JsonObject,
  prompts: readonly unknown[],
  schemas: readonly unknown[] = [],
): RequestText {
  const pieces = () => {
    const found: Piece[] = []
    for (const prompt of prompts) collect(prompt, found, 0)
    for (const schema of schemas) addJson(schema, found)
    return found
  }
  return {
    text: () =>
      pieces()
        .map(({ text }) => text)
        .join('\n'),
    uncounted: () => pieces().reduce((rest, piece) => rest - writtenLength(piece), lengthOf(body)),
  }
}

interface Piece {
  readonly text: string
  readonly isJson: boolean
}

function collect(value: unknown, pieces: Piece[], depth: number): void {
  if (typeof value === 'string') {
    if (value !== '' && !isDataUrl(value)) pieces.push({ text: value, isJson: false })
  } else if (typeof value === 'number' || typeof value === 'boolean') {
    pieces.push({ text: `${value}`, isJson: false })
  } else if (depth >= deepest) {
    // Nothing people write nests this deep, and recursion has to end somewhere.
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, pieces, depth + 1)
  } else if (isJsonObject(value)) {
    if (value.type === 'image_generation_call') return // its result is an image
    for (const key in value) {
      const member = value[key]
      if (argumentMembers.has(key) && typeof member === 'object') addJson(member, pieces)
      // A document given as plain text has it where others have their base64.
      else if ((key === 'data' && value.type === 'text') || !notText.has(key))
        collect(member, pieces, depth + 1)
    }
  }
}

function addJson(value: unknown, pieces: Piece[]): void {
  if (value === undefined || value === null) return
  try {
    pieces.push({ text: JSON.stringify(value), isJson: true })
  } catch {
    // Nested deeper than the engine can write: not worth counting exactly.
  }
}

function isDataUrl(value: string): boolean {
  return value.startsWith('data:') && value.slice(0, 200).includes(';base64,')
}

/** How long a piece is in the body: a text has its line ends and quotation marks escaped there. */
const writtenLength = ({ text, isJson }: Piece) =>
  isJson ? text.length : JSON.stringify(text).length - 2

function lengthOf(body: JsonObject): number {
  try {
    return JSON.stringify(body).length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
