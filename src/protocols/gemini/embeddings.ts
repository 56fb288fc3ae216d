import type { EmbeddingCodec, EmbeddingRequest } from '../canonical/codec.ts'
import { refuseValue } from '../canonical/error.ts'
import { arrayIn, isJsonObject, objectIn, words } from '../json.ts'
import type { JsonObject, Operation } from '../protocol.ts'

/** Translation of Gemini's embeddings. Source: Google's Gemini API reference: 100 requests in a batch. */
export const geminiEmbeddings = (operation: Operation): EmbeddingCodec => ({
  operation,
  mostTexts: 100,
  textsAt: 'requests',
  decodeRequest,
  encodeRequest: ({ texts, dimensions }, model) => ({
    requests: texts.map((text) => ({
      model: modelName(model),
      content: { parts: [{ text }] },
      ...(dimensions !== undefined && { outputDimensionality: dimensions }),
    })),
  }),
  decodeVectors: (body) =>
    arrayIn(body, 'embeddings').map((one) => isJsonObject(one) && one.values),
  encodeAnswer(vectors, { form }, { inputTokens }) {
    const embeddings = vectors.map((values) => ({ values }))
    const usageMetadata = { promptTokenCount: inputTokens, totalTokenCount: inputTokens }
    return form === 'one'
      ? { embedding: embeddings[0], usageMetadata }
      : { embeddings, usageMetadata }
  },
})

const modelName = (model: string) => (model.includes('/') ? model : `models/${model}`)

type Others = EmbeddingRequest['others'][number][]

function decodeRequest(body: JsonObject, model: string): EmbeddingRequest {
  const others: Others = []
  if (body.requests === undefined) {
    const { text, dimensions } = readOne(body, { at: '', model, others })
    return { texts: [text], dimensions, others, form: 'one' }
  }
  noteUnknown(body, batchFields, { at: '', others })
  const requests = Array.isArray(body.requests) ? body.requests : [body.requests]
  const read = requests
    .filter(isJsonObject)
    .map((one, index) => readOne(one, { at: `requests[${index}].`, model, others }))
  const dimensions = read[0]?.dimensions
  const other = read.findIndex((one) => one.dimensions !== dimensions)
  if (other > 0)
    others.push({ path: `requests[${other}].outputDimensionality`, feature: 'own_dimensions' })
  return { texts: read.map(({ text }) => text), dimensions, others, form: 'list' }
}

const batchFields = new Set(['requests'])
/** The vendor's SDKs write settings beside the content, or in `embedContentConfig`. */
const configNames = ['embedContentConfig', 'embed_content_config']
const fields = new Set([
  ...words('model content taskType task_type title outputDimensionality output_dimensionality'),
  ...configNames,
])

interface Place {
  readonly at: string
  readonly model: string
  readonly others: Others
}

function readOne(one: JsonObject, { at, model, others }: Place) {
  const named = one.model
  if (typeof named === 'string' && modelName(named) !== modelName(model))
    refuseValue(`${at}model`, `the model of the path, ${modelName(model)}`)
  const holders = [
    { at, settings: one },
    ...configNames.flatMap((name) => {
      const settings = objectIn(one, name)
      return settings ? [{ at: `${at}${name}.`, settings }] : []
    }),
  ]
  let dimensions: number | undefined
  for (const { at: place, settings } of holders) {
    const taskType = nameOf(settings, 'taskType', 'task_type')
    if (taskType) others.push({ path: place + taskType, feature: 'task_type' })
    if (nameOf(settings, 'title')) others.push({ path: `${place}title`, feature: 'title' })
    dimensions ??= readDimensions(settings, place)
    noteUnknown(settings, fields, { at: place, others })
  }
  return { text: readText(one.content, `${at}content`, others), dimensions }
}

const nameOf = (holder: JsonObject, ...names: readonly string[]) =>
  names.find((name) => holder[name] !== undefined && holder[name] !== null && holder[name] !== '')

function readDimensions(settings: JsonObject, at: string): number | undefined {
  const name = nameOf(settings, 'outputDimensionality', 'output_dimensionality')
  if (name === undefined) return undefined
  const value = settings[name]
  if (Number.isSafeInteger(value) && Number(value) > 0) return Number(value)
  return refuseValue(at + name, 'an integer of 1 or more')
}

function noteUnknown(
  holder: JsonObject,
  known: ReadonlySet<string>,
  { at, others }: Pick<Place, 'at' | 'others'>,
): void {
  for (const name of Object.keys(holder)) {
    if (known.has(name) || holder[name] === null) continue
    others.push({ path: at + name, feature: 'unknown_field' })
  }
}

function readText(content: unknown, at: string, others: Others): string {
  const parts = isJsonObject(content) ? content.parts : undefined
  const list: readonly unknown[] = Array.isArray(parts) ? parts : [parts]
  const texts = list.flatMap((part, index) => {
    const text = isJsonObject(part) ? part.text : undefined
    if (typeof text === 'string') return [text]
    others.push({ path: `${at}.parts[${index}]`, feature: 'media' })
    return []
  })
  if (list.length === 0) refuseValue(`${at}.parts`, 'a list of at least one text')
  return texts.join('\n')
}
