import { test } from 'bun:test'
import { createTempDir } from '../../support/temp-dir.ts'
import { testKey } from '../../support/tollgate-yaml.ts'
import { chatPath, requests } from '../suite/requests.ts'

/** Run by `way.ts` under coverage: a gateway starts, answers so many requests and is left. */
const count = Number(process.env.TOLLGATE_BENCH_REQUESTS)

test('answers', async () => {
  using folder = createTempDir('tollgate-bench')
  const printed: string[] = []
  const { log } = console
  console.log = (line: string) => printed.push(line)
  process.argv[2] = '0'
  await import('../constant-upstream.ts')
  process.argv.splice(2, 3, 'settled', printed[0] ?? '', folder.join('gateway.db'))
  await import('../gateway.ts')
  console.log = log
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${testKey}` }
  for (let at = 0; at < count; at++) {
    const url = printed[1] + chatPath
    const answer = await fetch(url, { method: 'POST', headers, body: requests.small })
    if (!answer.ok) throw new Error(await answer.text())
  }
})
