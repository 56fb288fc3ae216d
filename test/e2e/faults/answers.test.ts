import { answerFaults } from './answers.ts'
import { testFaults } from './run.ts'

testFaults(answerFaults)
