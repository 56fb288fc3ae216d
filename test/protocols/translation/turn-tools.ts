import type {
  MediaSource,
  Part,
  TextPart,
  ToolResultPart,
  Turn,
} from '../../../src/protocols/canonical/request.ts'

/*
 * What the expectations of all targets have in common. Apart from the codecs: of the canonical form
 * only its types are used.
 */

export const isText = (part: Part): part is TextPart => part.type === 'text'
export const isInstruction = ({ role }: Turn): boolean => role === 'system' || role === 'developer'
export const isType = (type: Part['type']) => (part: Part) => part.type === type
export const isNotType = (type: Part['type']) => (part: Part) => part.type !== type

/** Neighbours of one side are one turn, as everywhere in the canonical form. */
export function joined(turns: readonly Turn[]): readonly Turn[] {
  const list: Turn[] = []
  for (const turn of turns) {
    const last = list.at(-1)
    const isOne = last !== undefined && last.role === turn.role && !isInstruction(turn)
    if (isOne) list[list.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] }
    else list.push(turn)
  }
  return list
}

/** Parts as they are told, one by one; undefined for what is not. */
export const changed = (
  { role, parts }: Turn,
  change: (part: Part) => Part | readonly Part[] | undefined,
): Turn => ({ role, parts: parts.flatMap((part) => change(part) ?? []) })

/** Every vendor wants results right behind their calls. */
export const resultsFirst = ({ role, parts }: Turn): Turn =>
  role === 'user'
    ? {
        role,
        parts: [...parts.filter(isType('tool-result')), ...parts.filter(isNotType('tool-result'))],
      }
    : { role, parts }

/** Row "in the middle of a conversation": text of the user, in tags. */
export function inTags({ parts }: Turn, joint: string | undefined): Turn {
  const texts = parts.filter(isText)
  const joined: TextPart = { type: 'text', text: texts.map(({ text }) => text).join(joint) }
  const told = joint === undefined ? texts : [joined]
  return {
    role: 'user',
    parts: told.map((part) => ({ ...part, text: `<system>\n${part.text}\n</system>` })),
  }
}

/** Rows "System prompt" and "developer role": one field holds all that leads. */
export function withOneSystem(turns: readonly Turn[], joint: string | undefined): readonly Turn[] {
  const count = countLeading(turns)
  const parts = turns.slice(0, count).flatMap((turn) => turn.parts)
  const rest = turns.slice(count).map((turn) => (isInstruction(turn) ? inTags(turn, joint) : turn))
  return parts.length === 0 ? rest : [{ role: 'system', parts }, ...rest]
}

/** How many instructions the conversation begins with. */
export function countLeading(turns: readonly Turn[]): number {
  const first = turns.findIndex((turn) => !isInstruction(turn))
  return first === -1 ? turns.length : first
}

/** Row "Calls and results of tools": where arguments are an object, what is none is put in one. */
export function asObject(input: string): string {
  try {
    const value: unknown = JSON.parse(input === '' ? '{}' : input)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return JSON.stringify(isObject ? value : { input })
  } catch {
    return JSON.stringify({ input })
  }
}

export type ResultItem = ToolResultPart['parts'][number]

/** The type of a fetched file is what the answer said. */
export const plainSource = (source: MediaSource): MediaSource =>
  source.type === 'url' ? { type: 'url', url: source.url } : source
