import { expect, test } from 'bun:test'
import type { AccountState } from '../../src/gateway/admit/authenticate.ts'
import { createLowBalanceWarning } from '../../src/gateway/money/overdraft.ts'
import { createLogger } from '../../src/lib/log.ts'

const usualNano = 100

test.each([
  ['from above to below', null, 101, 99, true],
  ['from the threshold to below', null, 100, 99, true],
  ['from above to the threshold', null, 101, 100, false],
  ['below it already', null, 99, 98, false],
  ['by its own threshold', 50, 51, 49, true],
  ['above its own threshold', 50, 100, 50, false],
])('a low balance is told once: %s', (_, balanceLowNano, beforeNano, balanceNano, isTold) => {
  const lines: string[] = []
  const log = createLogger({
    ...{ sink: (line: string) => lines.push(line), pretty: false, clock: () => 0 },
    level: 'info',
  })
  const account = { email: 'a@b.c', balanceLowNano, balanceNano } as unknown as AccountState
  createLowBalanceWarning(log, () => usualNano)(account, beforeNano)
  expect(lines).toHaveLength(isTold ? 1 : 0)
  if (isTold) expect(lines[0]).toContain('balance is low')
})
