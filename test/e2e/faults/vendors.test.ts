import { testFaults } from './run.ts'
import { innerFaults, statusFaults, vendorFaults } from './vendors.ts'

testFaults({ ...vendorFaults, ...innerFaults, ...statusFaults })
