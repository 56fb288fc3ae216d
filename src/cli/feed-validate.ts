import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { UserError } from '../app/instance.ts'
import { counted } from '../lib/format.ts'
import { printable } from '../lib/table.ts'
import { readOrigin } from '../site/feed/mirror.ts'
import type { FeedDocument } from '../site/feed/schema.ts'
import { describeProblem, type FeedProblem, validateFeed } from '../site/feed/validate.ts'
import { withExamples } from './open.ts'
import { writeJson, writeLines } from './output.ts'

/** `tollgate feed validate`: checks any price feed against the specification. */
export function addFeedValidate(feed: Command): void {
  const command = feed
    .command('validate')
    .description('check a price feed, and say what is wrong with it and where')
    .argument('<source>', 'a file, or an address that begins with https:// or http://')
    .option('--json', 'as JSON')
    .action(validate)
  withExamples(
    command,
    'tollgate feed validate provider-pricing.json',
    'tollgate feed validate https://gateway.example.com/pricing/provider-pricing.json --json',
  )
}

/** More would scroll the first ones away. */
const maxShown = 50

async function validate(source: string, { json }: { readonly json?: boolean }): Promise<void> {
  const report = validateFeed(await readSource(source))
  if (report.ok) {
    const facts = factsOf(report.document)
    if (json) return writeJson({ valid: true, problems: [], ...facts })
    const { entries, groups, updated_at } = facts
    const size = `${counted(entries, 'row')} in ${counted(groups, 'group')}`
    return writeLines([`Valid: ${size}, updated at ${updated_at}.`])
  }
  const { problems } = report
  if (json) await writeJson({ valid: false, problems })
  const count = counted(problems.length, 'problem')
  throw new UserError(
    [`${source} is no valid price feed: ${count}.`, ...listed(problems)].join('\n'),
  )
}

function listed(problems: readonly FeedProblem[]): readonly string[] {
  const lines = problems
    .slice(0, maxShown)
    .map((problem) => `  ${printable(describeProblem(problem))}`)
  const left = problems.length - lines.length
  return left === 0 ? lines : [...lines, `  and ${left} more; --json shows all`]
}

function factsOf({ data }: FeedDocument) {
  return {
    entries: data.models.length,
    groups: new Set(data.models.map((entry) => entry.group_name)).size,
    updated_at: data.updated_at,
    site_name: data.site_name,
    site_domain: data.site_domain,
  }
}

async function readSource(source: string): Promise<string> {
  try {
    if (!/^https?:\/\//i.test(source)) return await readFile(source, 'utf8')
    const answer = await readOrigin(source)
    return answer === 'unchanged' ? '' : answer.text
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`${source} can't be read: ${reason}`, { cause })
  }
}
