import { beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { type CommandPlace, commandTree } from '../../data/release/command-tree.ts'
import { completionFiles } from '../../data/release/completions/files.ts'
import { manPages } from '../../data/release/man.ts'
import { run } from '../../src/cli/run.ts'
import { createTempDir } from '../support/temp-dir.ts'

/** What a command's own help offers: its options, and its commands. */
interface Offered {
  readonly path: readonly string[]
  readonly options: readonly string[]
  readonly commands: readonly string[]
}

async function helpOf(words: readonly string[]): Promise<string> {
  let out = ''
  const write = spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text
    return true
  })
  try {
    await run([...words, '--help'])
    return out
  } finally {
    write.mockRestore()
  }
}

const found = (text: string | undefined, pattern: RegExp) =>
  [...(text ?? '').matchAll(pattern)].map(([, word = '']) => word)

async function offeredBelow(path: readonly string[]): Promise<readonly Offered[]> {
  const help = await helpOf(path)
  const [before, below] = help.split('\nCommands:\n')
  const commands = found(below?.split('\n\n')[0], /^ {2}([a-z0-9-]+)(?= .*? {2})/gm)
  const options = found(before, /^ {2}(?:-\w, )?(--[a-z0-9-]+)/gm)
  const inner: (readonly Offered[])[] = []
  for (const name of commands) if (name !== 'help') inner.push(await offeredBelow([...path, name]))
  return [{ path, options, commands }, ...inner.flat()]
}

let tree: readonly CommandPlace[] = []
let offered: readonly Offered[] = []
beforeAll(async () => {
  tree = await commandTree()
  offered = await offeredBelow([])
})

test('every command that help shows is in the tree, with its options', () => {
  expect(offered.length).toBeGreaterThan(50)
  const known = tree.filter(({ path }) => path.at(-1) !== 'help')
  expect(known.map(({ path }) => path.join(' '))).toEqual(offered.map(({ path }) => path.join(' ')))
  for (const [at, { options, commands }] of offered.entries()) {
    const long = known[at]?.options.flatMap(({ names }) => names.filter((n) => n.startsWith('--')))
    expect(long).toEqual([...options])
    expect(known[at]?.commands.map(({ name }) => name)).toEqual([...commands])
  }
})

describe('completions', () => {
  const texts = () => completionFiles(tree)

  test('name every option of every command for each shell', () => {
    for (const [name, text] of texts())
      for (const word of offered.flatMap(({ options, commands }) => [...options, ...commands]))
        if (!text.includes(word)) throw new Error(`${name} lacks ${word}`)
  })

  /** What bash offers for command lines, of which the last word is being typed. */
  function completed(lines: readonly (readonly string[])[]): readonly string[] {
    using folder = createTempDir()
    const text = texts().get('tollgate.bash') ?? ''
    const ask = lines.map((words) => {
      const quoted = ['tollgate', ...words].map((word) => `'${word}'`).join(' ')
      return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; COMPREPLY=(); _tollgate; echo "\${COMPREPLY[*]}"`
    })
    const script = [text, 'cd "$1"', 'touch gateway.yaml', ...ask].join('\n')
    const ran = Bun.spawnSync(['bash', '--norc', '-c', script, 'bash', folder.path])
    expect(ran.stderr.toString()).toBe('')
    return ran.stdout.toString().split('\n')
  }

  test.skipIf(Bun.which('bash') === null)('in bash offer what each command takes', () => {
    const options = completed(offered.map(({ path }) => [...path, '--']))
    // A bare `tollgate` takes the options of `serve`, too.
    for (const [at, one] of offered.entries())
      for (const option of one.options) expect(options[at]?.split(' ')).toContain(option)
    const withCommands = offered.filter(({ commands }) => commands.length > 0)
    const commands = completed(withCommands.map(({ path }) => [...path, '']))
    for (const [at, one] of withCommands.entries())
      expect(commands[at]?.split(' ')).toEqual([...one.commands])
  })

  test.skipIf(Bun.which('bash') === null)('in bash offer values', () => {
    const cases: readonly (readonly [line: string, offered: string])[] = [
      ['export --format ', 'jsonl csv'],
      ['export --format = c', 'csv'],
      ['export --format csv ', 'requests ledger'],
      ['export --format csv re', 'requests'],
      ['token --help ad', 'add'],
      ['serve --config gate', 'gateway.yaml'],
      ['--config gate', 'gateway.yaml'],
      ['backup gate', 'gateway.yaml'],
      ['token add --name gate', ''],
      ['nothing ', completed([['']])[0] ?? ''],
    ]
    const lines = completed(cases.map(([line]) => line.split(' ')))
    expect(cases.map(([line], at) => [line, lines[at] ?? ''])).toEqual(cases.map((one) => [...one]))
  })
})

describe('manual pages', () => {
  const pages = () => manPages(tree, { version: '1.2.3', time: 0 })

  test('tell every option of every command', () => {
    const made = pages()
    for (const { path, options } of offered) {
      const page = made.get(`${['tollgate', ...path.slice(0, 1)].join('-')}.1`)
      for (const option of options) expect(page).toContain(option.replaceAll('-', '\\-'))
    }
    for (const name of offered[0]?.commands ?? []) {
      expect(made.get('tollgate.1')).toContain(name)
      expect(made.has(`tollgate-${name}.1`)).toBe(name !== 'help')
    }
  })

  test('are ASCII, and no text of theirs is a command of roff', () => {
    const macros = new Set('.TH .SH .SS .PP .TP .B .BR .BI .I .IR .EX .EE'.split(' '))
    for (const line of [...pages().values()].join('').split('\n')) {
      expect(line).toMatch(/^[ -~]*$/)
      if (/^[.']/.test(line)) expect(macros).toContain(line.split(' ')[0] ?? '')
    }
  })
})
