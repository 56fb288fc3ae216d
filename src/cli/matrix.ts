import type { Command } from 'commander'
import { formatTable } from '../lib/table.ts'
import { translationTable } from '../site/docs/translation-table.ts'
import { withExamples } from './config-option.ts'
import { writeJson, writeLines } from './output.ts'

/** `tollgate matrix`: what becomes of each feature between protocols. */
export function addMatrix(program: Command): void {
  const command = program
    .command('matrix')
    .description('show what translation between protocols carries, adapts, drops and refuses')
    .option('--json', 'as JSON')
    .action(async ({ json }: { readonly json?: boolean }) => {
      const table = translationTable()
      if (json) return writeJson(table)
      await writeLines(table.sections.flatMap(linesOf))
    })
  withExamples(command, 'tollgate matrix', 'tollgate matrix --json')
}

type Section = ReturnType<typeof translationTable>['sections'][number]
type Row = Section['rows'][number]

const columns = [
  { title: 'FEATURE', text: ({ name }: Row) => name },
  ...translationTable().protocols.map((protocol) => ({
    title: protocol.toUpperCase(),
    text: ({ ways }: Row) => ways[protocol] ?? '',
  })),
  { title: '', text: ({ title, note }: Row) => (note === null ? title : `${title} (${note})`) },
]

const linesOf = ({ title, about, rows }: Section): readonly string[] => [
  `${title}. ${about}`,
  '',
  ...formatTable(columns, rows),
  '',
]
