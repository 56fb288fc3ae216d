import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Marked } from 'marked'

/** A block of code of the guide. */
export interface Fence {
  /** Where it stands: the file and the first words. */
  readonly name: string
  readonly language: string
  /** What stands behind the language: `norun`. */
  readonly words: readonly string[]
  readonly code: string
}

const root = join(import.meta.dir, '../..')
const guide = 'data/docs/en'

/** The pages whose blocks are run, in their order. */
export const documentedFiles: readonly string[] = [
  ...readdirSync(join(root, guide))
    .sort()
    .map((file) => join(guide, file)),
  'README.md',
]

/** All blocks of a file. */
export function fencesOf(file: string): readonly Fence[] {
  const fences: Fence[] = []
  const marked = new Marked()
  const tokens = marked.lexer(readFileSync(join(root, file), 'utf8'))
  marked.walkTokens(tokens, (token) => {
    if (token.type !== 'code') return
    const [language = '', ...words] = (token.lang ?? '').split(/\s+/)
    const begin = token.text.split('\n')[0]?.slice(0, 50) ?? ''
    fences.push({ name: `${file}: ${begin}`, language, words, code: token.text })
  })
  return fences
}
