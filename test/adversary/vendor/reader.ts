import { isObject, type Json, numberIn, textIn } from './json.ts'

// How the vendor reads what it is sent. It is lenient, as vendors in Go are: names of members in
// another case, or in letters that fold to them, are taken; the last one holds.

export interface Read {
  readonly body: Json
  /** Of a form: the names under which its files came. */
  readonly files: readonly string[]
}

const known = new Set(['model', 'stream', 'n', 'max_tokens', 'background', 'service_tier', 'tools'])
const fold = (name: string) =>
  name.toLowerCase().replaceAll('\u017f', 's').replaceAll('\u212a', 'k')

/** A JSON body; undefined when it is none. */
export function readJson(text: string): Read | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(parsed)) return undefined
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(parsed)) {
    const folded = fold(name)
    body[known.has(folded) ? folded : name] = value
  }
  for (const name of ['generationConfig', 'generation_config']) {
    if (isObject(body[name])) body[name] = readSettings(body[name])
  }
  return { body, files: [] }
}

const settings = ['maxOutputTokens', 'max_output_tokens', 'candidateCount', 'candidate_count']

function readSettings(written: Json): Json {
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(written)) {
    read[settings.find((one) => fold(one) === fold(name)) ?? name] = value
  }
  return read
}

/** A form, read as Go reads it: of two `Content-Disposition` lines the first holds. */
export function readForm(text: string, contentType: string): Read | undefined {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1]
  if (boundary === undefined) return undefined
  const body: Record<string, unknown> = {}
  const files: string[] = []
  for (const part of text.split(`--${boundary}`).slice(1, -1)) {
    const end = part.indexOf('\r\n\r\n')
    const line = part
      .slice(0, end)
      .split('\r\n')
      .find((head) => head.toLowerCase().startsWith('content-disposition'))
    const name = /[; ]name="?([^";]+)"?/.exec(line ?? '')?.[1]
    if (name === undefined) continue
    const value = part.slice(end + 4, -2)
    if (line?.includes('filename')) files.push(name)
    else body[name] = name === 'n' || name === 'partial_images' ? Number(value) : value
    if (name === 'stream') body[name] = value === 'true'
  }
  return { body, files }
}

/** The larger of two spellings of a limit: what is certain to be allowed. */
export function limitIn(body: Json): number | undefined {
  const config = isObject(body.generationConfig)
    ? body.generationConfig
    : isObject(body.generation_config)
      ? body.generation_config
      : {}
  const said = [
    numberIn(body, 'max_tokens'),
    numberIn(body, 'max_completion_tokens'),
    numberIn(body, 'max_output_tokens'),
    numberIn(config, 'maxOutputTokens'),
    numberIn(config, 'max_output_tokens'),
  ].filter((limit) => limit !== undefined)
  return said.length === 0 ? undefined : Math.max(...said)
}

/** Answers, pictures or inputs that are asked for. */
export function unitsIn(body: Json): number {
  const config = isObject(body.generationConfig) ? body.generationConfig : {}
  const inputs =
    Array.isArray(body.input) && typeof body.input[0] === 'string' ? body.input.length : 1
  const requests = Array.isArray(body.requests) ? body.requests.length : 1
  const candidates = numberIn(config, 'candidateCount') ?? numberIn(config, 'candidate_count') ?? 1
  const best = numberIn(body, 'best_of') ?? 1
  return Math.max(numberIn(body, 'n') ?? 1, best, candidates, inputs, requests)
}

/** All models that a body names, by any member that names one. */
export function modelsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(modelsIn)
  if (!isObject(value)) return typeof value === 'string' ? [value] : []
  return Object.entries(value).flatMap(([name, member]) => {
    if (['model', 'models', 'fallbacks', 'fallback', 'route'].includes(name))
      return modelsIn(member)
    return name === 'tools' || name === 'tool' ? modelsOfTools(member) : []
  })
}

const modelsOfTools = (tools: unknown): readonly string[] =>
  (Array.isArray(tools) ? tools : [tools])
    .filter(isObject)
    .map((tool) => textIn(tool, 'model'))
    .filter((model) => model !== undefined)
