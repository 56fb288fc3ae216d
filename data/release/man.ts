import type { CommandPlace } from './command-tree.ts'
import type { Source } from './source.ts'

/** The manual: a page for the program and one for each of its commands, with the commands of that. */
export function manPages(
  tree: readonly CommandPlace[],
  { version, time }: Pick<Source, 'version' | 'time'>,
): ReadonlyMap<string, string> {
  const date = new Date(time * 1000).toISOString().slice(0, 10)
  const pages = tree.filter(({ path }) => path.length < 2 && path[0] !== 'help')
  return new Map(
    pages.map((place) => {
      const name = ['tollgate', ...place.path].join('-')
      const head = `.TH ${name.toUpperCase()} 1 ${date} "tollgate ${version}" Tollgate`
      const inner = tree.filter(({ path }) => path.length === 2 && path[0] === place.path[0])
      const body = place.path.length === 0 ? programPage(place) : commandPage(place, inner)
      return [`${name}.1`, `${[head, ...nameSection(name, place), ...body].join('\n')}\n`]
    }),
  )
}

type Lines = readonly string[]

const nameSection = (name: string, { help }: CommandPlace): Lines => [
  '.SH NAME',
  `${escaped(name)} \\- ${escaped(help.replace(/\. .*/, '').replace(/\.$/, ''))}`,
]

const programPage = (place: CommandPlace): Lines => [
  ...synopsis(place),
  '.SH DESCRIPTION',
  escaped(place.help),
  '.PP',
  'The guide is served by the program itself, at',
  '.IR /docs .',
  '.SH COMMANDS',
  ...place.commands.flatMap(({ name, help }) => [
    '.TP',
    name === 'help' ? `.BI "help " command` : `.BR tollgate\\-${escaped(name)} (1)`,
    escaped(help),
  ]),
  ...optionsOf(place, '.SH OPTIONS'),
  ...examplesOf(place, '.SH EXAMPLES'),
]

const commandPage = (place: CommandPlace, inner: readonly CommandPlace[]): Lines => [
  ...synopsis(place),
  '.SH DESCRIPTION',
  escaped(place.help),
  ...notesOf(place),
  ...argumentsOf(place, '.SH ARGUMENTS'),
  ...optionsOf(place, '.SH OPTIONS'),
  ...(inner.length > 0 ? ['.SH COMMANDS'] : []),
  ...inner
    .filter(({ path }) => path[1] !== 'help')
    .flatMap((one) => [
      `.SS ${escaped(one.usage)}`,
      escaped(one.help),
      ...notesOf(one),
      ...argumentsOf(one),
      ...optionsOf(one),
      ...examplesOf(one, '.PP'),
    ]),
  ...examplesOf(place, '.SH EXAMPLES'),
  '.SH SEE ALSO',
  '.BR tollgate (1)',
]

const synopsis = ({ usage }: CommandPlace): Lines => ['.SH SYNOPSIS', `.B ${escaped(usage)}`]

const optionsOf = ({ options }: CommandPlace, ...title: Lines): Lines =>
  options.length === 0
    ? []
    : [
        ...title,
        ...options.flatMap(({ flags, help }) => ['.TP', `.B ${escaped(flags)}`, escaped(help)]),
      ]

/** Those of which the help says more than the name. */
function argumentsOf({ arguments: all }: CommandPlace, ...title: Lines): Lines {
  const told = all.filter(({ help }) => help !== '')
  if (told.length === 0) return []
  return [
    ...title,
    ...told.flatMap(({ name, help }) => ['.TP', `.I ${escaped(name)}`, escaped(help)]),
  ]
}

const examplesOf = ({ examples }: CommandPlace, title: string): Lines =>
  examples.length === 0 ? [] : [title, '.EX', ...examples.map(escaped), '.EE']

const notesOf = ({ notes }: CommandPlace): Lines => (notes === '' ? [] : ['.PP', escaped(notes)])

/** Text in roff, which is ASCII: nothing in it is a command, and a hyphen stays one that can be copied. */
const escaped = (text: string) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')
    .replace(
      /[^\n -~]/gu,
      (one) => `\\[u${one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
