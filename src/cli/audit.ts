import type { Command } from 'commander'
import { humanTime, isoTime } from '../lib/format.ts'
import type { Column } from '../lib/table.ts'
import type { AuditEntry } from '../store/ports/admin.ts'
import { type JsonOption, withConfig, withExamples, withStore } from './open.ts'
import { writeList } from './output.ts'
import { parseRowLimit } from './values.ts'

interface ListOptions extends JsonOption {
  readonly limit: number
}

/** `tollgate audit …`: the log of manual changes. */
export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('who changed what by hand: list')
  const command = audit
    .command('list')
    .description('every change in the console and by a command, newest last')
    .option('--limit <n>', 'at most this many, the newest', parseRowLimit, 50)
    .option('--json', 'as JSON')
    .action(async (options: ListOptions) =>
      withStore(options, async ({ store }) => {
        const rows = (await store.admin.audit(options.limit)).map(auditReport)
        await writeList(rows, columns, { json: options.json, none: 'Nothing was changed by hand.' })
      }),
    )
  withExamples(withConfig(command), 'tollgate audit list --limit 20')
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
