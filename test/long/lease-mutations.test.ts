import { expect, test } from 'bun:test'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mutations } from '../leases/mutations.ts'
import { temporaryDirectory } from '../store/support.ts'

// The simulation finds each fault that is planted in the protocol: what it does not find it does not promise.

const root = join(import.meta.dir, '../..')
const schedules = 200_000

/** Some are found in a second, some in minutes. */
const inLongRun = test.skipIf(process.env.TOLLGATE_TEST_LONG !== 'true')

for (const { what, file, from, to } of mutations) {
  inLongRun(
    `found: ${what}`,
    async () => {
      using directory = temporaryDirectory()
      for (const folder of ['src/leases', 'test/leases', 'test/rehearse'])
        cpSync(join(root, folder), directory.file(folder), { recursive: true })
      const path = directory.file(`src/leases/${file}.ts`)
      const text = readFileSync(path, 'utf8')
      expect(text).toContain(from)
      writeFileSync(
        path,
        text.replace(from, () => to),
      )
      const command = [process.execPath, 'test/leases/schedules.ts', '1', String(schedules)]
      const child = Bun.spawn(command, { cwd: directory.file('.'), stdout: 'pipe', stderr: 'pipe' })
      const told = await new Response(child.stdout).text()
      expect(told).toStartWith('seed ')
      expect(await child.exited).toBe(1)
    },
    1_800_000,
  )
}
