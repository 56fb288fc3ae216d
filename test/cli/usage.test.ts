import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { version } from '../../package.json'
import { run } from '../../src/cli/run.ts'
import { createWorkplace, type Workplace } from './cli.ts'

let place: Workplace
beforeAll(async () => {
  place = await createWorkplace()
})
afterAll(() => place[Symbol.asyncDispose]())

describe('wrong use ends with 2 and says what is right', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    [
      'an unknown option',
      'serve --conf x',
      "unknown option '--conf'\ntollgate: (Did you mean --config?)",
    ],
    [
      'an option without a command',
      '--conf x',
      "unknown option '--conf'\ntollgate: (Did you mean --config?)",
    ],
    ['an unknown command', 'tokn list', "unknown command 'tokn'\ntollgate: (Did you mean token?)"],
    ['an unknown subcommand', 'token lst', "unknown command 'lst'\ntollgate: (Did you mean list?)"],
    ['a missing argument', 'receipt', "missing required argument 'id'"],
    ['one argument too many', 'init here', "too many arguments for 'init'"],
    ['a missing option', 'group add main', "required option '--channel <name...>' not specified"],
    ['a value that is no choice', 'export nothing', 'Allowed choices are requests, ledger.'],
    ['a time that is none', 'export requests --since later', 'Write a date (2026-11-21)'],
    ['an id that is no number', 'token show abc', 'Write a whole number.'],
  ]
  for (const [name, line, message] of cases) {
    test.concurrent(name, async () => {
      const ran = await place.run(line.split(' '))
      expect(ran.err).toContain(`tollgate: `)
      expect(ran.err).toContain(message)
      expect(ran).toMatchObject({ code: 2, out: '' })
    })
  }
})

/** The help of a command, without a process for each: there are some sixty. */
async function helpOf(words: readonly string[]): Promise<string> {
  let out = ''
  const write = spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text
    return true
  })
  try {
    expect(await run([...words, '--help'])).toBe(0)
    return out
  } finally {
    write.mockRestore()
  }
}

const commandsIn = (help: string): readonly string[] =>
  [...(help.split('\nCommands:\n')[1] ?? '').matchAll(/^ {2}([a-z0-9-]+)(?= .*? {2})/gm)]
    .map(([, name]) => name ?? '')
    .filter((name) => name !== 'help' && name !== 'tollgate')

async function checkHelp(words: readonly string[]): Promise<void> {
  const help = await helpOf(words)
  expect(help).toMatch(/Examples?:\n {2}\S/)
  if (words[0] === 'price')
    for (const line of help.split('\n')) expect(line.length).toBeLessThan(120)
  for (const name of commandsIn(help)) await checkHelp([...words, name])
}

test('every command has help with an example', async () => {
  const { code, out } = await place.run(['--help'])
  expect(code).toBe(0)
  expect(commandsIn(out)).toEqual(
    'serve demo init plan apply token account group channel price feed export receipt verify audit backup restore migrate reconcile schema matrix status upgrade health version'.split(
      ' ',
    ),
  )
  expect(commandsIn(await helpOf(['price']))).toEqual(
    'list show set remove history sync simulate'.split(' '),
  )
  expect(commandsIn(await helpOf(['channel']))).toEqual(
    'list add show status drain disable enable remove'.split(' '),
  )
  await checkHelp([])
  expect((await place.run(['price', 'set', '--help'])).out).toBe(await helpOf(['price', 'set']))
})

test('the version is that of the package, for people and for machines', async () => {
  expect((await place.run(['--version'])).out).toBe(`${version}\n`)
  expect((await place.run(['version'])).out).toStartWith(
    `tollgate ${version} (Bun ${Bun.version}, `,
  )
  const { out } = await place.run(['version', '--json'])
  expect(JSON.parse(out)).toMatchObject({ version, bun: Bun.version })
})

test('a command on data does not make a database', async () => {
  const ran = await place.run(['token', 'list'])
  expect(ran).toMatchObject({ code: 1, out: '' })
  expect(ran.err).toContain('There is no database')
  expect(await Array.fromAsync(new Bun.Glob('*').scan(place.path))).toEqual([])
})
