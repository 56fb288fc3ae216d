import type { BenchCase } from './bench.ts'
import { costCase } from './cost-case.ts'
import { halfLoadCase } from './half-load.ts'
import { requestCases, streamCases } from './load-cases.ts'
import { feedCase, sizeCases } from './size-cases.ts'
import { startCases } from './start-cases.ts'

/** All that can be measured, in the order in which it is. */
export const cases: readonly BenchCase[] = [
  ...requestCases,
  halfLoadCase,
  costCase,
  ...streamCases,
  feedCase,
  ...startCases,
  ...sizeCases,
]
