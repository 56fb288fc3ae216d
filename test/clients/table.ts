import { cases } from './cases.ts'
import type { Cell } from './cell.ts'

/** What became of a cell. */
export interface Result {
  readonly cell: Cell
  readonly faults: readonly string[]
  readonly raised: string | undefined
}

const rowOf = ({ client, speaks, target }: Cell) =>
  `${client.name} ${speaks}`.padEnd(28) + (target === 'direct' ? 'vendor' : target).padEnd(11)

/**
 * Prints how it went, client by client and channel by channel, and what the failures were; whether
 * all is well. Of a client that raises nothing when its own vendor's stream breaks off, no more can be
 * asked: `deaf`.
 */
export function printTable(results: readonly Result[]): boolean {
  const deaf = new Set(
    results.filter(({ cell, faults }) => cell.target === 'direct' && faults.length > 0).map(whoOf),
  )
  const verdict = (result: Result) => {
    if (result.faults.length === 0) return 'ok'
    return result.cell.case.fault && deaf.has(whoOf(result)) ? 'deaf' : 'FAIL'
  }
  console.log(`\n${''.padEnd(39)}${cases.map(({ name }) => name.padEnd(8)).join('')}`)
  for (const [row, cells] of Map.groupBy(results, ({ cell }) => rowOf(cell))) {
    const marks = cases.map(({ name }) => {
      const result = cells.find(({ cell }) => cell.case.name === name)
      return (result ? verdict(result) : '').padEnd(8)
    })
    console.log(row + marks.join(''))
  }
  for (const { name, what } of cases) console.log(`${name.padEnd(8)} ${what}`)
  printRaised(results)
  const failed = results.filter((result) => verdict(result) === 'FAIL')
  if (failed.length > 0) console.log('\nFailures:')
  for (const { cell, faults } of failed) {
    console.log(`${rowOf(cell)}${cell.case.name}\n    ${faults.join('\n    ').slice(0, 700)}`)
  }
  console.log(`\n${results.length - failed.length} passed, ${failed.length} failed`)
  return failed.length === 0
}

const whoOf = ({ cell }: Result) => `${cell.client.name} ${cell.speaks}`

/** What each client raises for a late error and for one in the stream, channels that agree together. */
function printRaised(results: readonly Result[]): void {
  console.log('\nRaised for errors:')
  const failing = results.filter(({ cell }) => cell.case.fault)
  for (const [who, own] of Map.groupBy(failing, whoOf)) {
    const said = Map.groupBy(own, ({ raised, faults }) => alike(raised ?? faults[0] ?? 'nothing'))
    for (const [words, where] of said) {
      const places = where.map(({ cell }) => `${cell.target} ${cell.case.name}`)
      console.log(`${who}: ${words.slice(0, 200)}\n    (${places.join(', ')})`)
    }
  }
}

/** Without what differs from request to request. */
const alike = (words: string) => words.replaceAll(/req_\w*|127\.0\.0\.1:\d+|[\w.-]+_on_\w+/g, '…')
