import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CanonicalRequest } from '../../src/protocols/canonical/request.ts'
import type { Step } from './scripted-upstream.ts'
import type { Deed } from './work.ts'

/** The call of one of an agent's tools that does a deed, with paths below `folder`. */
export type CallOf = (deed: Deed, folder: string, tools: CanonicalRequest['tools']) => Step

/** The names of an agent's tools, and of what they take. */
interface ToolNames {
  readonly read: readonly [tool: string, path: string]
  readonly edit: readonly [tool: string, path: string, from: string, to: string]
  readonly run: readonly [tool: string, command: string]
  /** What its tools want beside. */
  readonly also?: { readonly edit?: object; readonly run?: object }
}

/** Of tools that take what they need by these names. */
export const callBy =
  ({ read, edit, run, also }: ToolNames): CallOf =>
  (deed, folder) => {
    if (deed.do === 'run') return step(run[0], { [run[1]]: deed.command, ...also?.run })
    const path = join(folder, deed.path)
    if (deed.do === 'read') return step(read[0], { [read[1]]: path })
    const [tool, at, from, to] = edit
    return step(tool, { [at]: path, [from]: deed.from, [to]: deed.to, ...also?.edit })
  }

const step = (tool: string, input: object): Step => ({ tool, input: JSON.stringify(input) })

/** Codex reads by its shell, and edits by patches, which some of its versions send by the shell too. */
export const callOfCodex: CallOf = (deed, folder, tools) => {
  const names = tools.map(({ name }) => name)
  const shell = names.find((name) => /exec_command|shell/.test(name)) ?? 'no shell'
  const run = (command: string) =>
    /exec_command|shell_command/.test(shell)
      ? step(shell, { cmd: command, command })
      : step(shell, { command: ['bash', '-lc', command] })
  if (deed.do === 'run') return run(deed.command)
  if (deed.do === 'read') return run(`cat ${deed.path}`)
  const patch = patchOf(deed, readFileSync(join(folder, deed.path), 'utf8'))
  return names.includes('apply_patch')
    ? step('apply_patch', { input: patch })
    : run(`apply_patch <<'EOF'\n${patch}EOF\n`)
}

/** Whole lines, as Codex wants them. */
function patchOf({ path, from, to }: Deed & { readonly do: 'edit' }, text: string): string {
  const marked = (sign: string, lines: string) =>
    lines.split('\n').map((line) => `${sign}${line}\n`)
  const line = text.split('\n').find((each) => each.includes(from.trimEnd())) ?? ''
  const after = line.replace(from.trimEnd(), to.trimEnd())
  return [
    ...['*** Begin Patch\n', `*** Update File: ${path}\n`, '@@\n'],
    ...[...marked('-', line), ...marked('+', after), '*** End Patch\n'],
  ].join('')
}

/** Cline takes several at once, and patches where it speaks responses. */
export const callOfCline: CallOf = (deed, folder, tools) => {
  if (deed.do === 'run') return step('run_commands', { commands: [deed.command] })
  const path = join(folder, deed.path)
  if (deed.do === 'read') return step('read_files', { files: [{ path }] })
  if (tools.some(({ name }) => name === 'apply_patch')) {
    return step('apply_patch', { input: patchOf(deed, readFileSync(path, 'utf8')) })
  }
  return step('editor', { path, old_text: deed.from, new_text: deed.to })
}
