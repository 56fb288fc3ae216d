import type { Fault } from '../../admin/faults.ts'

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

/** `file:line:column: message`, which editors and terminals can follow. */
export function formatProblem({ file, line, column, message }: ConfigProblem): string {
  return `${file}:${line}:${column}: ${message}`
}

/** All problems for people, one per line. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(formatProblem).join('\n')
}
