import { isJsonObject } from '../../../../src/protocols/json.ts'
import type { JsonObject } from '../../../../src/protocols/protocol.ts'
import type { SeenRequest } from '../../../support/fake-upstream.ts'
import type { Asked, AskedPiece, Turn } from '../conversation.ts'
import { need, readArray, readObject, readString } from '../wire.ts'
import { contentOf, partsOf, signature, stream } from './gemini-answers.ts'
import type { Vendor } from './vendor.ts'

/** Content of a model that signs its calls, as all from Gemini 3 on. Source: the API's reference. */
export const geminiVendor: Vendor = {
  protocol: 'gemini',
  told: { input: 20, cacheRead: 12, cacheWrite: 0, output: 9, reasoning: 4 },
  sign: signature,
  withheld: [],
  refusal: { pieces: [], finish: 'refusal' },
  wanted: (pieces) => toPieces(partsOf(pieces)),
  read,
  whole: ({ pieces, finish }) => contentOf(partsOf(pieces), finish),
  stream,
  fault: (code, message) => ({ error: { code, message, status: faultStatus[code] } }),
  streamFault(message) {
    const error = { code: 503, message, status: 'UNAVAILABLE' }
    return `data: ${JSON.stringify({ error })}\r\n\r\n`
  },
}

/** The name that the vendor knows. */
export const geminiModel = 'gemini-3-pro-preview'

const faultStatus: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
}

const configFields =
  'maxOutputTokens temperature topP topK candidateCount stopSequences seed presencePenalty ' +
  'frequencyPenalty thinkingConfig responseMimeType responseJsonSchema'

function read({ path, headers, json }: SeenRequest): Asked {
  const [, model, action] = /^\/v1beta\/models\/([^:]+):(.+)$/.exec(path) ?? []
  need(model === geminiModel, `models/${model} is not found`)
  const stream = action === 'streamGenerateContent?alt=sse'
  need(stream || action === 'generateContent', `unknown path ${path}`)
  need(headers.get('x-goog-api-key') === 'key-of-gemini', 'API key not valid.')
  const body = readObject(
    json(),
    'systemInstruction tools toolConfig generationConfig serviceTier labels contents',
    'body',
  )
  const config = readObject(body.generationConfig ?? {}, configFields, 'generationConfig')
  checkThinking(config.thinkingConfig)
  const isJson = config.responseMimeType === 'application/json'
  need(isJson === (config.responseJsonSchema !== undefined), 'responseMimeType does not fit')
  return {
    stream,
    system: readSystem(body.systemInstruction),
    turns: readArray(body.contents, 'contents').map((content, index) =>
      readContent(content, `contents[${index}]`),
    ),
    ...readTools(body),
    sequential: false,
    schema: config.responseJsonSchema,
    maxTokens: config.maxOutputTokens as number | undefined,
    temperature: config.temperature as number | undefined,
    stop: config.stopSequences as string[] | undefined,
  }
}

function checkThinking(value: unknown): void {
  const config = readObject(value ?? {}, 'includeThoughts thinkingLevel thinkingBudget', 'thinking')
  const isBoth = config.thinkingLevel !== undefined && config.thinkingBudget !== undefined
  need(!isBoth, 'You can only set only one of thinking budget and thinking level.')
}

function readSystem(value: unknown): string {
  const { parts } = readObject(value ?? { parts: [] }, 'parts role', 'systemInstruction')
  return readArray(parts, 'systemInstruction.parts')
    .map((part) => readString(readObject(part, 'text', 'part').text, 'systemInstruction.text'))
    .join()
}

function readContent(value: unknown, at: string): Turn {
  const { role, parts } = readObject(value, 'role parts', at)
  need(role === 'user' || role === 'model', `${at}: Please use a valid role: user, model.`)
  const wire = readArray(parts, `${at}.parts`).map((part, index) => {
    const path = `${at}.parts[${index}]`
    return readObject(part, partFields, path)
  })
  need(wire.length > 0, `${at}.parts: must not be empty`)
  const firstCall = wire.find(({ functionCall }) => functionCall !== undefined)
  const isSigned = firstCall === undefined || firstCall.thoughtSignature !== undefined
  need(isSigned, `${at}: Function call is missing a thought_signature in functionCall parts.`)
  return { role: role === 'user' ? 'user' : 'assistant', pieces: toPieces(wire) }
}

/** What the vendor takes for the signature of a call that another model has made. */
const standIn = Buffer.from('skip_thought_signature_validator').toString('base64')

const partFields = 'text thought thoughtSignature functionCall functionResponse inlineData fileData'

/** A signature is told before its call, else by itself; thoughts the vendor does not want back. */
function toPieces(parts: readonly JsonObject[]): readonly AskedPiece[] {
  return parts.flatMap((part): readonly AskedPiece[] => {
    const { text, functionCall, functionResponse, inlineData, thoughtSignature } = part
    const isOwn = thoughtSignature !== undefined && thoughtSignature !== standIn
    const proof = isOwn ? readString(thoughtSignature, 'thoughtSignature') : undefined
    const signed = (callId?: string): readonly AskedPiece[] => {
      const own = callId === undefined ? {} : { callId }
      return proof === undefined ? [] : [{ type: 'reasoning', text: '', signature: proof, ...own }]
    }
    if (functionCall !== undefined) {
      const { id, name, args } = readObject(functionCall, 'id name args', 'functionCall')
      need(isJsonObject(args), 'functionCall.args: no object')
      const callId = readString(id, 'functionCall.id')
      const call = {
        type: 'call',
        id: callId,
        name: readString(name, 'name'),
        input: args,
      } as const
      return [...signed(callId), call]
    }
    if (functionResponse !== undefined) return readResult(functionResponse)
    if (inlineData !== undefined) {
      const { mimeType, data } = readObject(inlineData, 'mimeType data', 'inlineData')
      need(mimeType === 'image/png', `inlineData.mimeType: ${mimeType}`)
      return [{ type: 'image', data: readString(data, 'inlineData.data') }]
    }
    need(typeof text === 'string', 'a part without text or data')
    if (part.thought === true) return signed()
    return text === '' ? signed() : [{ type: 'text', text }, ...signed()]
  })
}

function readResult(value: unknown): readonly AskedPiece[] {
  const at = 'functionResponse'
  const { id, name, response, parts = [] } = readObject(value, 'id name response parts', at)
  need(name === 'get_weather', `${at}.name: not that of its call`)
  const { output } = readObject(response, 'output', `${at}.response`)
  const images = readArray(parts, `${at}.parts`).map((part) =>
    readObject(part, 'inlineData', `${at}.parts`),
  )
  need(typeof output === 'string', `${at}.response.output: no string`)
  return [{ type: 'result', callId: readString(id, `${at}.id`), text: output }, ...toPieces(images)]
}

function readTools({ tools = [], toolConfig }: JsonObject) {
  const names = readArray(tools, 'tools').flatMap((tool) => {
    const { functionDeclarations } = readObject(tool, 'functionDeclarations', 'tools')
    return readArray(functionDeclarations, 'functionDeclarations').map((value) => {
      const { name, parametersJsonSchema: schema } = readObject(
        value,
        'name description parametersJsonSchema',
        'functionDeclaration',
      )
      need(isJsonObject(schema) && schema.type === 'object', 'parametersJsonSchema: no object')
      return readString(name, 'functionDeclaration.name')
    })
  })
  if (toolConfig === undefined) return { tools: names, toolChoice: undefined }
  need(names.length > 0, 'Function calling config is set without function_declarations.')
  const { functionCallingConfig } = readObject(toolConfig, 'functionCallingConfig', 'toolConfig')
  const { mode, allowedFunctionNames: allowed } = readObject(
    functionCallingConfig,
    'mode allowedFunctionNames',
    'functionCallingConfig',
  )
  if (allowed !== undefined) {
    need(mode === 'ANY', 'allowed_function_names should only be set for ANY')
    const [name] = readArray(allowed, 'allowedFunctionNames')
    return { tools: names, toolChoice: { name: readString(name, 'allowedFunctionNames') } }
  }
  const choice = ({ AUTO: 'auto', NONE: 'none', ANY: 'required' } as const)[String(mode)]
  need(choice !== undefined, `functionCallingConfig.mode: ${mode}`)
  return { tools: names, toolChoice: choice }
}
