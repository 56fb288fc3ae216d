import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runBinary } from '../../support/binary.ts'
import { freePort } from '../../support/free-port.ts'
import { between } from '../../support/random.ts'
import { emailOf } from '../config.ts'
import type { OneNode } from '../sqlite-world.ts'
import type { Fault } from '../world.ts'
import { troubled } from './disk.ts'

/** What other processes do to the same database, and operators to the configuration. */
export const besideFaults: readonly Fault<OneNode>[] = [
  {
    name: 'second serve',
    async begin({ folder, config, node }) {
      if (!node.isUp()) return async () => {}
      const file = join(folder, 'second.yaml')
      writeFileSync(file, config.replace(/listen: .*/, `listen: 127.0.0.1:${await freePort()}`))
      const { exitCode, stdout, stderr } = await runBinary(['serve', '--config', file])
      // Beside a process that has ended meanwhile it is the one that serves.
      if (exitCode === 1 && /Another process serves|is not there/.test(stderr))
        return async () => {}
      throw new Error(`A second serve on the file ended with ${exitCode}: ${stdout}${stderr}`)
    },
  },
  {
    ...{ name: 'lock held', ...troubled },
    async begin({ database }, random) {
      const db = new Database(database, { readwrite: true, create: false })
      db.run('PRAGMA busy_timeout = 5000')
      db.run('BEGIN IMMEDIATE')
      const forMs = between(random, 300, 8_000)
      return async () => {
        await Bun.sleep(forMs)
        db.run('ROLLBACK')
        db.close()
      }
    },
  },
  {
    name: 'credit twice',
    async begin({ configFile, rows }, random) {
      const key = `credit-${Math.floor(random() * 1e9)}`
      const words = ['account', 'credit', emailOf('poor'), '0.2', '--reason', key, '--key', key]
      const credit = () => runBinary([...words, '--config', configFile])
      const codes = [(await credit()).exitCode]
      return async () => {
        codes.push((await credit()).exitCode)
        if (!codes.includes(0)) return // it has said that nothing is stored
        const found = await rows(`SELECT id FROM ledger WHERE idempotency_key = '${key}'`)
        if (found.length !== 1) throw new Error(`Credit ${key} is stored ${found.length} times.`)
      }
    },
  },
  {
    ...{ name: 'SIGHUP storm', logs: /configuration not applied/ },
    async begin({ node, configFile, config }, random) {
      const apply = (text: string) => {
        writeFileSync(configFile, text)
        const pid = node.pid()
        if (pid !== undefined) process.kill(pid, 'SIGHUP')
      }
      const broken = [
        `${config}\nprices: [`,
        config.replace('groups:', 'grups:'),
        config.replaceAll('- main', '- nobody'),
        '',
      ]
      for (let times = 0; times < 30; times++) {
        apply(random() < 0.6 ? (broken[Math.floor(random() * broken.length)] ?? '') : config)
        await Bun.sleep(random() * 60)
      }
      return async () => apply(config)
    },
  },
]
