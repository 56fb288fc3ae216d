import type { Command } from 'commander'
import { addFeedExport } from './feed-export.ts'
import { addFeedMirror } from './feed-mirror.ts'
import { addFeedValidate } from './feed-validate.ts'
import { withExamples } from './open.ts'

/** `tollgate feed …`: the public price feed, outside of the gateway that makes it. */
export function addFeedCommands(program: Command): void {
  const feed = program.command('feed').description('the price feed: export, mirror, validate')
  addFeedExport(feed)
  addFeedMirror(feed)
  addFeedValidate(feed)
  withExamples(feed, 'tollgate feed validate https://gateway.example.com/api/provider/pricing')
}
