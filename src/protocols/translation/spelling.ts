import type { Setting } from '../canonical/request.ts'

/** What clients of a protocol call what a request holds, for messages to them. */
export interface Spelling {
  readonly conversation: string
  /** Settings that are not spelled as all others are. */
  readonly settings: { readonly [setting in Setting]?: string }
  /** Where all others are, by their own names; absent: at the top, in snake_case. */
  readonly within?: string
  /** The member of the reasoning that says whether it is shown. */
  readonly shownReasoning: string
  readonly cacheMark: string
  /** Where the number of searches is limited; absent: in the tool itself. */
  readonly searchLimit?: string
  /** The object with a tool's fields; absent: the tool itself. */
  readonly functionAt?: (at: string) => string
  readonly toolSchema: string
  /** The member of the answer's format that holds its schema; '' where it is the format. */
  readonly formatSchema: string
  /** An answer that the conversation ends with is continued; absent: it is not. */
  readonly continuesAnswers?: true
}

/** `parallelToolCalls` → `parallel_tool_calls`. */
export const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A setting as the client wrote it. */
export const spell = ({ settings, within }: Spelling, setting: Setting): string =>
  settings[setting] ?? (within === undefined ? snake(setting) : `${within}.${setting}`)

const functionAt = (client: Spelling, at: string) => client.functionAt?.(at) ?? at

/** Where a client asks for strict arguments of the tool at `at`. */
export const strictPath = (client: Spelling, at: string): string =>
  `${functionAt(client, at)}.strict`

/** Where the schema of the tool, or of the answer, at `at` is. */
export function schemaPath(client: Spelling, at: string, isTool: boolean): string {
  if (isTool) return `${functionAt(client, at)}.${client.toolSchema}`
  return client.formatSchema === '' ? at : `${at}.${client.formatSchema}`
}
