/** Claims a database to serve from, says whether it got it, and stays; run as a process of its own. */
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'

const store = openSqliteStore({ path: process.argv[2] ?? '', clock: Date.now })
console.log((await store.claimServing()) ? 'claimed' : 'refused')
for await (const _ of Bun.stdin.stream()) void _ // until whoever started it lets go
await store.close()
