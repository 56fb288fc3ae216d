import type { ProtocolName } from '../channels/channel-fields.ts'

/** What was read of an answer by now. */
interface AnswerRead {
  readonly text: string
  readonly error: string | undefined
}

type Json = { readonly [name: string]: unknown } | undefined

/** Reads an answer as it comes: `push` takes text in pieces of any length. */
interface AnswerReader {
  push(piece: string): void
  end(): void
  read(): AnswerRead
}

/** Makes a reader of a stream of events, or of JSON that comes whole. */
export function createAnswerReader(protocol: ProtocolName, isStream: boolean): AnswerReader {
  let rest = ''
  let text = ''
  let error: string | undefined

  function take(json: string): void {
    const value = parse(json)
    if (value === undefined) return
    text += (isStream ? deltaOf : textOf)[protocol](value)
    error ??= errorOf(value)
  }

  return {
    push(piece) {
      rest += piece
      if (!isStream) return
      const lines = rest.split(/\r?\n/)
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('data:')) take(line.slice(5))
    },
    end() {
      if (isStream ? rest.startsWith('data:') : rest !== '') {
        take(isStream ? rest.slice(5) : rest)
      }
      rest = ''
    },
    read: () => ({ text, error }),
  }
}

function parse(json: string): Json {
  try {
    return fieldsOf(JSON.parse(json))
  } catch {
    return undefined // `[DONE]`, or no JSON at all: the raw exchange shows it
  }
}

const fieldsOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null
    ? (value as { readonly [name: string]: unknown })
    : undefined

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
const string = (value: unknown): string => (typeof value === 'string' ? value : '')
const joined = (parts: readonly Json[]) => parts.map((part) => string(part?.text)).join('')

const geminiText = (value: Json) =>
  list(value?.candidates)
    .slice(0, 1)
    .map((one) => list(fieldsOf(one?.content)?.parts).filter((part) => part?.thought !== true))
    .map(joined)
    .join('')

const deltaOf: Readonly<Record<ProtocolName, (value: Json) => string>> = {
  chat: (value) => string(fieldsOf(list(value?.choices)[0]?.delta)?.content),
  responses: (value) => (value?.type === 'response.output_text.delta' ? string(value.delta) : ''),
  messages: (value) =>
    value?.type === 'content_block_delta' ? string(fieldsOf(value.delta)?.text) : '',
  gemini: geminiText,
}

const textOf: Readonly<Record<ProtocolName, (value: Json) => string>> = {
  chat: (value) => string(fieldsOf(list(value?.choices)[0]?.message)?.content),
  responses: (value) =>
    list(value?.output)
      .map((item) => joined(list(item?.content)))
      .join(''),
  messages: (value) => joined(list(value?.content)),
  gemini: geminiText,
}

/** Whatever the protocol, an error has a message; that of the console itself, too. */
function errorOf(value: Json): string | undefined {
  const error = fieldsOf(value?.error) ?? fieldsOf(fieldsOf(value?.response)?.error)
  const message = error?.message ?? (typeof value?.reason === 'string' ? value.message : undefined)
  return typeof message === 'string' ? message : undefined
}
