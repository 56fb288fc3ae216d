import { afterAll } from 'bun:test'
import { createTempDir } from '../../support/temp-dir.ts'
import { testFaults } from './run.ts'
import { tlsFaults, trusted } from './tls.ts'

const folder = createTempDir()
afterAll(folder.remove)

testFaults(tlsFaults, {
  async env() {
    const file = folder.join('trusted.pem')
    await Bun.write(file, await trusted())
    return { NODE_EXTRA_CA_CERTS: file }
  },
})
