import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { all, first, run, type Steps } from '../../../src/store/queries/steps.ts'
import { compile, sql } from '../../../src/store/schema/sql.ts'

/** Runs steps to their end, in a database's words; each statement is answered with these rows. */
function follow<Result>(
  steps: Steps<Result>,
  engine: 'sqlite' | 'postgres',
  rows: readonly unknown[],
) {
  const asked: { sql: string; parameters: readonly unknown[]; wants: string }[] = []
  let step = steps.next()
  while (!step.done) {
    const { sql, parameters } = compile(step.value.query, engine)
    asked.push({ sql, parameters, wants: step.value.wants })
    step = steps.next({ rows, changes: rows.length })
  }
  return { asked, result: step.value }
}

function* move(from: number, to: number) {
  const moved = yield* run(sql`update token set group_id = ${to} where group_id = ${from}`)
  const left = yield* first(sql<{ id: number }>`select id from token where group_id = ${from}`)
  const some = yield* all(sql`select id from account limit ${2}`)
  return { moved, left, some }
}

test.each([
  ['sqlite', '?', '?'],
  ['postgres', '$1', '$2'],
] as const)('the same steps are put into the words of %s', (engine, one, two) => {
  const rows = [{ id: 7 }, { id: 8 }]
  const { asked, result } = follow(move(1, 2), engine, rows)
  expect(asked).toEqual([
    {
      sql: `update token set group_id = ${one} where group_id = ${two}`,
      parameters: [2, 1],
      wants: 'changes',
    },
    { sql: `select id from token where group_id = ${one}`, parameters: [1], wants: 'rows' },
    { sql: `select id from account limit ${one}`, parameters: [2], wants: 'rows' },
  ])
  expect(result).toEqual({ moved: 2, left: { id: 7 }, some: rows })
})

/** Names of what gives steps: generators, and functions that say so. */
const makers = /function\* (\w+)|(?:function |const )(\w+)[^\n]*\bSteps</g
/** A call at the beginning of a statement, that nothing is done with. */
const begun = /(?:[^\s,(>=&|?:+]\n\s*|\bif \([^\n]*\) |\belse )(\w+)\(/g

test('no steps are begun and forgotten, for without yield* they would do nothing', async () => {
  const room = join(import.meta.dir, '../../../src/store/queries')
  const paths = await Array.fromAsync(new Glob('**/*.ts').scan(room))
  const texts = await Promise.all(paths.map((path) => Bun.file(join(room, path)).text()))
  const names = new Set(
    texts.flatMap((text) => [...text.matchAll(makers)].map(([, one, two]) => one ?? two)),
  )
  expect(names.size).toBeGreaterThan(80)
  const forgotten = texts.flatMap((text, place) =>
    [...text.matchAll(begun)]
      .filter(([, name]) => names.has(name))
      .map(([, name]) => `${name} in ${paths[place]}`),
  )
  expect(forgotten).toEqual([])
})
