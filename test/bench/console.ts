import { parseArgs } from 'node:util'
import { binaryPath, requireBinary } from '../support/binary.ts'
import { askAll, describe, laterPages, type Row } from './console/ask-all.ts'
import { prepareDatabase } from './console/database.ts'
import { signIn } from './console/person.ts'
import { adminQuestions, ownQuestions, publicQuestions } from './console/questions.ts'
import { measureReading } from './console/reading.ts'
import { entries, scratch, startGateway, startUpstream } from './console/scene.ts'
import { leaveSubjectsCore } from './suite/tools.ts'

/**
 * How long everything of the console takes with very many requests, asked of the compiled program;
 * then what the model requests of the gateway notice of somebody who reads all the while.
 */
const usage = `Usage: bun test/bench/console.ts FOLDER [--requests N] [--pairs N] [--seconds N] [--rate N]
         [--rest MS] [--only lists,reading] [--beside COMMAND]

FOLDER      has the database, or gets it (about 1 GB for the usual 1000000 requests)
--pairs     of measurements without and with a reader (6)
--seconds   how long each (5)
--rate      model requests a second; without it half of what the gateway can do
--rest      milliseconds between two lists of the reader (100)
--beside    a command of the program that runs while there is a reader: 'verify', 'backup /tmp/copy.db'`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    requests: { type: 'string', default: '1000000' },
    pairs: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '5' },
    rate: { type: 'string' },
    rest: { type: 'string', default: '100' },
    beside: { type: 'string' },
    only: { type: 'string', default: 'lists,reading' },
  },
})
const [database] = positionals
if (database === undefined) {
  console.error(usage)
  process.exit(1)
}
requireBinary()
leaveSubjectsCore()
await prepareDatabase(database, Number(values.requests))
using folder = scratch()
await using upstream = await startUpstream(folder.path)
await using gateway = await startGateway(database, upstream.url)
const residentMb = () => ((gateway.program?.residentBytes() ?? Number.NaN) / 1e6).toFixed(0)
const { url } = gateway
console.log(`Resident, started: ${residentMb()} MB`)
const admin = await signIn(url, entries.admin)
console.log(`Resident, signed in: ${residentMb()} MB`)

if (values.only.includes('lists')) {
  const rows: Row[] = await askAll('admin', admin, await adminQuestions(admin))
  rows.push(...(await laterPages('admin', admin, '/api/v1/admin/requests')))
  rows.push(...(await laterPages('admin', admin, '/api/v1/admin/attempts')))
  for (const who of ['many', 'few'] as const) {
    const person = await signIn(url, entries[who])
    rows.push(...(await askAll(who, person, await ownQuestions(person))))
    for (const path of ['/api/v1/requests', '/api/v1/ledger']) {
      rows.push(...(await laterPages(who, person, path)))
    }
  }
  rows.push(...(await askAll('all', admin, publicQuestions)))
  console.log(describe(rows))
  console.log(`Resident after the lists: ${residentMb()} MB`)
}
if (values.only.includes('reading')) {
  await measureReading(gateway, {
    pairs: Number(values.pairs),
    seconds: Number(values.seconds),
    rate: values.rate === undefined ? undefined : Number(values.rate),
    restMs: Number(values.rest),
    residentMb,
    beside: values.beside === undefined ? undefined : commandOn(database, values.beside),
  })
}

/** Runs a command of the program on the gateway's database, again and again until told to end. */
function commandOn(folder: string, command: string) {
  return () => {
    let isEnding = false
    let child: Bun.Subprocess | undefined
    const running = (async () => {
      while (!isEnding) {
        const [name = '', ...rest] = command.split(' ')
        const options = { cwd: folder, stdout: 'ignore', stderr: 'inherit' } as const
        child = Bun.spawn([binaryPath, name, '--config', 'tollgate.yaml', ...rest], options)
        await child.exited
      }
    })()
    return {
      async end() {
        isEnding = true
        child?.kill()
        await running
      },
    }
  }
}
