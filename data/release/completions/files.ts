import type { CommandPlace } from '../command-tree.ts'
import { bashCompletion } from './bash.ts'
import { fishCompletion } from './fish.ts'
import { powershellCompletion } from './powershell.ts'
import { completionTable } from './table.ts'
import { zshCompletion } from './zsh.ts'

/** The completions for each shell: name of the file and its text. */
export function completionFiles(tree: readonly CommandPlace[]): ReadonlyMap<string, string> {
  const table = completionTable(tree)
  return new Map([
    ['tollgate.bash', bashCompletion(table)],
    ['_tollgate', zshCompletion(table)],
    ['tollgate.fish', fishCompletion(table)],
    ['tollgate.ps1', powershellCompletion(table)],
  ])
}
