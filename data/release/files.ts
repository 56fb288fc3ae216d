import { join } from 'node:path'
import { createFirstFile } from '../../src/app/config/first-file.ts'
import type { Bill } from './bill.ts'
import { commandTree } from './command-tree.ts'
import { completionFiles } from './completions/files.ts'
import { manPages } from './man.ts'
import { createNotices } from './notices.ts'
import { root } from './run.ts'
import type { Source } from './source.ts'

/** What each archive has beside the program: name in the archive → bytes. */
export async function createFiles(
  source: Source,
  bill: Bill,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const tree = await commandTree()
  const own = (path: string) => Bun.file(join(root, path)).text()
  const texts: readonly (readonly [name: string, text: string])[] = [
    ['LICENSE', await own('LICENSE')],
    ['README.md', await own('data/release/README.md')],
    ['CHANGELOG.md', await own('CHANGELOG.md')],
    ['THIRD-PARTY-NOTICES.txt', await createNotices(bill)],
    ['tollgate.example.yaml', createFirstFile('sk-replace-me')],
    ['tollgate.service', await own('data/examples/tollgate.service')],
    ...[...completionFiles(tree)].map(([name, text]) => [`completions/${name}`, text] as const),
    ...[...manPages(tree, source)].map(([name, text]) => [`man/${name}`, text] as const),
  ]
  return new Map(texts.map(([name, text]) => [name, new TextEncoder().encode(text)]))
}
