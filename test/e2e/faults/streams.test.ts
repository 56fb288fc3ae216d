import { testFaults } from './run.ts'
import { insideFaults } from './streams.ts'

testFaults(insideFaults)
