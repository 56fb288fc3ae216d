import type { BenchCase } from './bench.ts'
import { requestCases, streamCases } from './load-cases.ts'

/** All that can be measured, in the order in which it is. */
export const cases: readonly BenchCase[] = [...requestCases, ...streamCases]
