import type { Setting } from '../canonical/request.ts'

/** A protocol's names for what a request holds, for error messages. */
export interface Spelling {
  readonly conversation: string
  readonly settings: { readonly [setting in Setting]?: string }
  /** The parent of all others; absent: top level, snake_case. */
  readonly within?: string
  readonly shownReasoning: string
  readonly cacheMark: string
  /** The field that limits searches; absent: the tool's own. */
  readonly searchLimit?: string
  /** The object with a tool's fields; absent: the tool itself. */
  readonly functionAt?: (at: string) => string
  readonly toolSchema: string
  /** The format's member with its schema; '' if it is the format. */
  readonly formatSchema: string
  /** A final assistant message is continued; absent: it is not. */
  readonly continuesAnswers?: true
}

/** `parallelToolCalls` → `parallel_tool_calls`. */
export const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A setting as the client wrote it. */
export const spell = ({ settings, within }: Spelling, setting: Setting): string =>
  settings[setting] ?? (within === undefined ? snake(setting) : `${within}.${setting}`)

const functionAt = (client: Spelling, at: string) => client.functionAt?.(at) ?? at

/** The path of `strict` for the tool at `at`. */
export const strictPath = (client: Spelling, at: string): string =>
  `${functionAt(client, at)}.strict`

/** The path of the schema of the tool, or response format, at `at`. */
export function schemaPath(client: Spelling, at: string, isTool: boolean): string {
  if (isTool) return `${functionAt(client, at)}.${client.toolSchema}`
  return client.formatSchema === '' ? at : `${at}.${client.formatSchema}`
}
