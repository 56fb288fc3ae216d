import { test } from 'bun:test'
import { testEngine } from './test-store.ts'

/** For a test of what only a database file has: locks, journals, disks, copies of it. */
export const ofSqlite = test.skipIf(testEngine !== 'sqlite')
