import type { JsonObject } from '../protocol.ts'
import type { Tool } from './request.ts'

/** The arguments of a custom tool where a protocol has functions only: one text. */
export const customParameters: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
}

/** What the model is told of a tool; the grammar of a custom tool in words. */
export function describeTool({ description, grammar }: Tool): string | undefined {
  if (grammar === undefined) return description
  const rule = `The input must match this ${grammar.syntax} grammar:\n${grammar.definition}`
  return description === undefined ? rule : `${description}\n\n${rule}`
}
