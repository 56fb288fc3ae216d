import { refuseValue } from '../canonical/error.ts'
import type { CanonicalRequest, Note, Tool, ToolChoice, WebSearch } from '../canonical/request.ts'
import { customParameters, describeTool, textsIn } from '../canonical/tools.ts'
import { arrayIn, defined, isJsonObject, objectIn, stringIn, wordSet } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import * as read from '../read.ts'
import { fromGeminiSchema } from './schema/from-gemini.ts'
import { adaptedSchema } from './schema/to-gemini.ts'
import { camelNames, eachOf, listOf, noteUnknown, placesIn, written } from './wire.ts'

/** Decodes functions; vendor-run tools are noted. */
export function decodeTools(body: JsonObject, note: Note): readonly Tool[] {
  return eachOf(body.tools, 'tools').flatMap(({ item: set, at }) =>
    isJsonObject(set) ? decodeToolSet(set, at, note) : refuseValue(at, 'an object'),
  )
}

function decodeToolSet(set: JsonObject, at: string, note: Note): readonly Tool[] {
  const { functionDeclarations, ...others } = camelNames(set)
  const place = placesIn(set, at)
  for (const [name, value] of Object.entries(others)) {
    if (value === null || value === undefined) continue
    // Unknown kinds are the vendor's own, like all but functions.
    note(name === 'computerUse' ? 'vendor_tool' : 'hosted_tool', place(name))
  }
  return listOf(functionDeclarations).map((declaration, index) => {
    const functionAt = `${place('functionDeclarations')}[${index}]`
    if (!isJsonObject(declaration)) refuseValue(functionAt, 'an object')
    return decodeFunction(declaration, functionAt, note)
  })
}

const functionFields = new Set(['name', 'description', 'parameters', 'parametersJsonSchema'])

function decodeFunction(wire: JsonObject, at: string, note: Note): Tool {
  noteUnknown(wire, functionFields, at, note)
  const declaration = camelNames(wire)
  const schema =
    objectIn(declaration, 'parametersJsonSchema') ?? objectIn(declaration, 'parameters')
  return {
    at,
    kind: 'function',
    name: read.name(declaration, 'name', at),
    description: stringIn(declaration, 'description'),
    parameters: schema && fromGeminiSchema(schema),
  }
}

const configFields = wordSet(
  'functionCallingConfig retrievalConfig includeServerSideToolInvocations',
)
const callingFields = new Set(['mode', 'allowedFunctionNames', 'streamFunctionCallArguments'])

/** Decodes the calling mode of `toolConfig`. `VALIDATED`, which enforces schemas, is `auto`. */
export function decodeToolChoice(body: JsonObject, note: Note): ToolChoice | undefined {
  const wire = objectIn(camelNames(body), 'toolConfig')
  if (wire === undefined) return undefined
  const at = written(body, 'toolConfig')
  const place = placesIn(wire, at)
  noteUnknown(wire, configFields, at, note)
  const config = camelNames(wire)
  if (config.includeServerSideToolInvocations === true) {
    note('include', place('includeServerSideToolInvocations'))
  }
  if (isJsonObject(config.retrievalConfig)) note('unknown_field', place('retrievalConfig'))
  const calling = objectIn(config, 'functionCallingConfig')
  if (calling === undefined) return undefined
  const callingAt = place('functionCallingConfig')
  noteUnknown(calling, callingFields, callingAt, note)
  return choiceOf(camelNames(calling), `${callingAt}.mode`)
}

function choiceOf(calling: JsonObject, at: string): ToolChoice | undefined {
  const names = arrayIn(calling, 'allowedFunctionNames').filter((name) => typeof name === 'string')
  const { mode } = calling
  switch (typeof mode === 'string' ? mode.toUpperCase() : mode) {
    case 'NONE':
      return { type: 'none' }
    case 'ANY': {
      const [name, ...others] = names
      if (name === undefined) return { type: 'required' }
      if (others.length === 0) return { type: 'tool', name }
      return { type: 'allowed', names, isRequired: true }
    }
    case 'AUTO':
    case 'VALIDATED':
      return names.length > 0 ? { type: 'allowed', names, isRequired: false } : { type: 'auto' }
    case 'MODE_UNSPECIFIED':
    case undefined:
    case null:
      return undefined
    default:
      return refuseValue(at, '"AUTO", "ANY", "NONE" or "VALIDATED"')
  }
}

/** `tools` and `toolConfig`; nothing without tools. */
export function encodeTools({ tools, toolChoice, webSearch }: CanonicalRequest): JsonObject {
  const search = webSearch === undefined ? [] : [{ googleSearch: {} }]
  if (tools.length === 0) return search.length === 0 ? {} : { tools: search }
  const functionDeclarations = tools.map(encodeFunction)
  const functionCallingConfig = toolChoice && encodeChoice(toolChoice)
  const toolConfig = functionCallingConfig && { functionCallingConfig }
  return defined({ tools: [...search, { functionDeclarations }], toolConfig })
}

function encodeFunction(tool: Tool): JsonObject {
  const description = describeTool(tool)
  const parameters = tool.kind === 'custom' ? customParameters : tool.parameters
  const parametersJsonSchema = parameters && encodeParameters(parameters)
  return defined({ name: tool.name, description, parametersJsonSchema })
}

function encodeParameters(parameters: JsonObject): JsonObject {
  const schema = adaptedSchema(parameters)
  // The vendor requires an object; some clients write `{}` for a tool without arguments.
  const isPlain = schema.type === undefined && schema.anyOf === undefined
  return isPlain ? { type: 'object', ...schema } : schema
}

function encodeChoice(choice: ToolChoice): JsonObject {
  switch (choice.type) {
    case 'auto':
      return { mode: 'AUTO' }
    case 'none':
      return { mode: 'NONE' }
    case 'required':
    case 'search':
      return { mode: 'ANY' }
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] }
    case 'allowed':
      return { mode: choice.isRequired ? 'ANY' : 'VALIDATED', allowedFunctionNames: choice.names }
  }
}

/** The first `googleSearch` of a request's tools, or the older retrieval. */
export function decodeSearch(body: JsonObject): WebSearch | undefined {
  for (const { item: set, at: setAt } of eachOf(body.tools, 'tools')) {
    if (!isJsonObject(set)) continue
    const tools = camelNames(set)
    for (const name of ['googleSearch', 'googleSearchRetrieval']) {
      const tool = tools[name]
      if (!isJsonObject(tool)) continue
      const at = `${setAt}.${written(set, name)}`
      const { excludeDomains, ...others } = camelNames(tool)
      return {
        places: [at],
        others: Object.keys(others).map(placesIn(tool, at)),
        blockedDomains: textsIn({ excludeDomains }, 'excludeDomains'),
      }
    }
  }
  return undefined
}

/** The Gemini API has no domain limits, and allows search beside functions for some models only. */
export const takesSearch = ({ webSearch, tools, toolChoice }: CanonicalRequest): boolean =>
  tools.length === 0 &&
  toolChoice?.type !== 'none' &&
  webSearch?.allowedDomains === undefined &&
  webSearch?.blockedDomains === undefined
