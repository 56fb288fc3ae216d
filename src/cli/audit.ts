import type { Command } from 'commander'
import { humanTime, isoTime } from '../lib/format.ts'
import { type Column, formatTable } from '../lib/table.ts'
import type { AuditEntry } from '../store/ports/admin.ts'
import { withExamples } from './config-option.ts'
import { addReporting } from './resource-commands.ts'
import { type RowLimit, rowLimitOption } from './values.ts'

/** `tollgate audit …`: the log of manual changes. */
export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('who changed what by hand: list')
  addReporting(audit, 'list', {
    help: 'every change in the console and by a command, newest last',
    options: [rowLimitOption()],
    examples: ['tollgate audit list --limit 20'],
    run: async ({ store }, { limit }: RowLimit) =>
      (await store.admin.audit(limit)).map(auditReport),
    lines: (rows) =>
      rows.length > 0 ? formatTable(columns, rows) : ['Nothing was changed by hand.'],
  })
  withExamples(audit, 'tollgate audit list --json')
}

function auditReport({ id, createdAt, actor, action, subject, detail }: AuditEntry) {
  return { id, created_at: isoTime(createdAt), actor, action, subject, detail }
}

type Report = ReturnType<typeof auditReport>

const columns: readonly Column<Report>[] = [
  { title: 'TIME', text: ({ created_at }) => humanTime(created_at) },
  { title: 'WHO', text: ({ actor }) => actor },
  { title: 'WHAT', text: ({ action }) => action },
  { title: 'WHOSE', text: ({ subject }) => subject },
  { title: 'DETAIL', text: ({ detail }) => JSON.stringify(detail) },
]
