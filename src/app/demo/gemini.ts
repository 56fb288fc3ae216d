import { type Answer, freshId } from './answer.ts'
import {
  type Ask,
  base64Picture,
  type Json,
  list,
  number,
  object,
  readTurn,
  type Turn,
  text,
} from './ask.ts'
import { DemoError } from './errors.ts'
import { portions } from './tokens.ts'

function picture(part: Json) {
  const inline = object(part.inlineData ?? part.inline_data)
  return part.inlineData === undefined && part.inline_data === undefined
    ? undefined
    : base64Picture(inline.mimeType ?? inline.mime_type, inline.data)
}

function readContent(content: Json): Turn[] {
  const all = list(content.parts)
  const results = all.filter((part) => part.functionResponse !== undefined)
  const rest = all.filter((part) => part.functionResponse === undefined)
  const turns = results.map((part) => ({
    role: 'tool' as const,
    text: JSON.stringify(object(part.functionResponse).response ?? {}),
    pictures: [],
  }))
  const role = content.role === 'model' ? 'assistant' : 'user'
  return rest.length > 0 ? [...turns, readTurn(role, rest, picture)] : turns
}

function readChoice(config: Json): Ask['choice'] {
  const name = [config.allowedFunctionNames ?? []].flat().map(text)[0]
  if (config.mode === 'NONE') return 'none'
  if (config.mode !== 'ANY') return 'auto'
  return name === undefined ? 'any' : { name }
}

/** Reads a generateContent request; countTokens may wrap it. The path names the model. */
export function readGemini(outer: Json, model: string, stream = false): Ask {
  const body =
    outer.generateContentRequest === undefined ? outer : object(outer.generateContentRequest)
  const contents = list(body.contents)
  if (contents.length === 0)
    throw new DemoError(400, '* GenerateContentRequest.contents: contents is not specified')
  const config = object(body.generationConfig)
  const schema = config.responseJsonSchema ?? config.responseSchema
  const wantsJson = schema !== undefined || config.responseMimeType === 'application/json'
  const system = list(object(body.systemInstruction).parts)
  return {
    model,
    stream,
    turns: [
      ...(system.length > 0 ? [readTurn('system', system, picture)] : []),
      ...contents.flatMap(readContent),
    ],
    tools: list(body.tools)
      .flatMap((tool) => list(tool.functionDeclarations))
      .map(({ name, description, parameters, parametersJsonSchema }) => ({
        name: text(name),
        description: text(description),
        schema: object(parametersJsonSchema ?? parameters),
      })),
    choice: readChoice(object(object(body.toolConfig).functionCallingConfig)),
    schema: wantsJson ? object(schema) : undefined,
    maxTokens: number(config.maxOutputTokens),
    stop: [config.stopSequences ?? []].flat().map(text),
  }
}

function usageOf({ usage }: Answer) {
  return {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output,
    totalTokenCount: usage.input + usage.output,
    ...(usage.cached > 0 ? { cachedContentTokenCount: usage.cached } : {}),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.input }],
  }
}

/** The whole answer as parts; Gemini sends calls whole and signs the first. */
const callParts = (answer: Answer) =>
  answer.calls.map(({ id, name, input }, at) => ({
    functionCall: { id, name, args: input },
    ...(at === 0 ? { thoughtSignature: Buffer.from(`demo ${id}`).toString('base64') } : {}),
  }))

const finish = (answer: Answer) => (answer.reason === 'length' ? 'MAX_TOKENS' : 'STOP')

/** A generateContent answer in one piece. */
export function geminiBody(ask: Ask, answer: Answer) {
  const said = [{ text: answer.tokens.join('') }]
  const content = { parts: answer.calls.length > 0 ? callParts(answer) : said, role: 'model' }
  return {
    candidates: [{ content, finishReason: finish(answer), index: 0 }],
    usageMetadata: usageOf(answer),
    modelVersion: ask.model,
    responseId: freshId(),
  }
}

/** The same in portions: as SSE events, or as the elements of one JSON array. */
export function* geminiStream(ask: Ask, answer: Answer, sse: boolean): Generator<string> {
  const responseId = freshId()
  const said = portions(answer.tokens).map((part) => ({ text: part }))
  const pieces =
    answer.calls.length > 0 ? callParts(answer) : said.length > 0 ? said : [{ text: '' }]
  for (const [at, piece] of pieces.entries()) {
    const last = at === pieces.length - 1
    const json = JSON.stringify({
      candidates: [
        {
          content: { parts: [piece], role: 'model' },
          ...(last ? { finishReason: finish(answer) } : {}),
          index: 0,
        },
      ],
      usageMetadata: last ? usageOf(answer) : { promptTokenCount: answer.usage.input },
      modelVersion: ask.model,
      responseId,
    })
    yield sse
      ? `data: ${json}\r\n\r\n`
      : `${at === 0 ? '[' : ',\r\n'}${json}${last ? '\n]\n' : '\n'}`
  }
}
