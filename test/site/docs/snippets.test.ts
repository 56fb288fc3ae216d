import { describe, expect, test } from 'bun:test'
import { parse, stringify } from 'yaml'
import { loadConfig } from '../../../src/app/config/load.ts'
import { createTemplate } from '../../../src/app/config/template.ts'
import { documentedFiles, fencesOf } from '../../support/docs-fences.ts'

// The blocks of the guide that are no commands: parts of tollgate.yaml, JSON, TOML, Python.

const fences = documentedFiles.flatMap(fencesOf)
const of = (language: string) => fences.filter((fence) => fence.language === language)
const names = (language: string) => of(language).map(({ name, code }) => [name, code] as const)

type Part = Record<string, unknown>

/** The file of `tollgate init` with a part of the guide in it: entries of lists go by their names. */
function withPart(part: Part): Part {
  const whole: Part = parse(createTemplate('sk-0123456789abcdef0123456789abcdef'))
  const nameOf = (entry: Part) => entry.name ?? entry.email
  return Object.fromEntries(
    Object.keys({ ...whole, ...part }).map((key) => {
      const [old, given] = [whole[key], part[key]]
      if (given === undefined) return [key, old]
      if (!Array.isArray(old) || !Array.isArray(given))
        return [key, isMap(old) && isMap(given) ? { ...old, ...given } : given]
      return [
        key,
        [...given, ...old.filter((one) => !given.some((other) => nameOf(other) === nameOf(one)))],
      ]
    }),
  )
}

const isMap = (value: unknown): value is Part => typeof value === 'object' && value !== null

describe('a part of tollgate.yaml', () => {
  test.each(names('yaml'))('%s', (_, code) => {
    const text = stringify(withPart(parse(code)))
    const variables = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [
      name,
      'a-secret-1',
    ])
    const read = loadConfig({ text, file: 'tollgate.yaml', env: Object.fromEntries(variables) })
    expect(read.ok ? [] : read.problems).toEqual([])
  })
})

test.each(names('json'))('%s is JSON', (_, code) => {
  expect(() => JSON.parse(code)).not.toThrow()
})

test.each(names('toml'))('%s is TOML', (_, code) => {
  expect(() => Bun.TOML.parse(code)).not.toThrow()
})

test.skipIf(Bun.which('python3') === null)('the Python programs can be read', () => {
  const programs = JSON.stringify(of('python').map(({ code }) => code))
  const reader = 'import ast, json, sys\nfor p in json.load(sys.stdin): ast.parse(p)'
  const { exitCode, stderr } = Bun.spawnSync(['python3', '-c', reader], {
    stdin: Buffer.from(programs),
  })
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
})

test('every block names its language, and every language is one that is tested or plain', () => {
  const known = ['sh', 'yaml', 'json', 'toml', 'python', 'ts', 'text', 'nginx', 'ini', 'http']
  const others = fences.filter(({ language }) => !known.includes(language))
  expect(others.map(({ name, language }) => [name, language])).toEqual([])
})

const english = documentedFiles.filter((file) => file.startsWith('data/docs/en/'))
/** What is run, or written into a file: without the comments, which are translated. */
const commandsOf = (file: string) =>
  fencesOf(file)
    .filter(({ language }) => language !== 'text')
    .map(({ language, words, code }) => [language, ...words, code.replace(/ +# .*$/gm, '')])

test.each(english)('%s has a page in Chinese with the same commands', (file) => {
  expect(commandsOf(file.replace('/en/', '/zh/'))).toEqual(commandsOf(file))
})
