import { connectionFaults } from './connections.ts'
import { testFaults } from './run.ts'

testFaults(connectionFaults)
