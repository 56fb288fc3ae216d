import type { Fault } from '../../admin/api-error.ts'

/** Line and column in the file, both counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** One thing wrong (or, as a warning, worth knowing) in a configuration file. */
export interface ConfigProblem extends Position {
  readonly file: string
  /** `channels[0].timeouts.idle`; empty where the file is not readable as YAML. */
  readonly path: string
  /** The value as the file has it; null where there is none or it is secret. */
  readonly value: string | null
  /** A sentence that names the path, the value, and what to write instead. */
  readonly message: string
  /** The same as a machine word, where there is one. */
  readonly fault?: Fault
}

/** `parent.key`, `parent["odd key"]` or `parent[0]`. */
export function joinPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`
  if (!/^[A-Za-z0-9_-]+$/.test(key)) return `${parent}[${JSON.stringify(key)}]`
  return parent === '' ? key : `${parent}.${key}`
}

/** Problems in the order of the file. */
export function sortProblems(problems: readonly ConfigProblem[]): ConfigProblem[] {
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
}

/** Problems for people, one per line: `file:line:column: message`, which editors and terminals can follow. */
export const formatProblems = (problems: readonly ConfigProblem[]): string =>
  problems
    .map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`)
    .join('\n')

/** Hides token keys anywhere in a text. */
export function maskKeys(text: string): string {
  return text.replace(/\bsk-[^\s"',\]}]+/g, 'sk-***')
}

/** A value of the file, short and redacted for messages: a slip can put a secret under any key. */
export function showValue(text: string): string {
  if (text.length > 200) return `a value of ${text.length} characters`
  const shown = text
    .split(/(\$\{[A-Za-z_]\w*\})/)
    .map((part, i) => (i % 2 === 1 ? part : hideSecrets(part)))
    .join('')
  return JSON.stringify(shown.length > 80 ? `${shown.slice(0, 79)}…` : shown)
}

function hideSecrets(text: string): string {
  return maskKeys(text)
    .replace(/\/\/\S*@/g, '//***@')
    .replace(/\?\S+/g, '?***')
    .replace(/(pass\w*|secret\w*|\w*key\w*)(["'\s:=]*)[^\s"']+/gi, '$1$2***')
    .replace(/(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{24,}/g, (long) => `${long.slice(0, 4)}***`)
}
