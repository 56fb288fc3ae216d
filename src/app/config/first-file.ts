import { createTemplate } from './template.ts'

/** What the console sets: named in a file, it would be written again at each start. */
const leftToConsole = new Set(['site', 'settings', 'channels', 'groups', 'prices', 'accounts'])

/**
 * The tollgate.yaml of a new gateway that is set up in its console: the whole template, with all that the console
 * sets as comments. Needs no environment variables.
 */
export function createFirstFile(tokenKey: string): string {
  let section = ''
  const lines = createTemplate(tokenKey)
    .replace(
      '# Before the first start:  export OPENAI_API_KEY=...  ADMIN_PASSWORD=...\n',
      `# Nothing needs a change: "tollgate serve" shows a link into its console, where all else is set up.
# What is in use here is written again at each start, over what was set in the console. To keep
# channels, groups, prices or accounts in this file, remove the "#" from all of their lines, and set
# the variables that they name:  export OPENAI_API_KEY=...  ADMIN_PASSWORD=...
`,
    )
    .split('\n')
  return lines
    .map((line) => {
      section = /^([a-z_]+):/.exec(line)?.[1] ?? section
      return leftToConsole.has(section) ? line.replace(/^( *)(?=[^ #])/, '$1#') : line
    })
    .join('\n')
}
