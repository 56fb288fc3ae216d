import type { Command } from 'commander'
import type { JobMessage, JobProgress, JobResult } from '../app/jobs/child.ts'
import { runBackup, runVerify } from '../app/jobs/run-job.ts'
import { messageOf } from '../lib/failure.ts'
import { interruptible } from './lifecycle.ts'

/** `tollgate job`: jobs of the console, reported as lines of JSON. */
export function addJob(program: Command): void {
  const job = program.command('job', { hidden: true }).description('long work of the console')
  job
    .command('verify')
    .argument('[database]', 'its file; none: the address in the environment')
    .action((database: string | undefined) => sendResult(() => runVerify(database, showProgress())))
  job
    .command('backup')
    .argument('<database>')
    .argument('<file>')
    .action((database: string, file: string) =>
      sendResult(() =>
        interruptible((signal) => runBackup({ database, file }, showProgress(), signal)),
      ),
    )
}

const send = (message: JobMessage) => process.stdout.write(`${JSON.stringify(message)}\n`)

async function sendResult(work: () => Promise<JobResult>) {
  try {
    send({ result: await work() })
  } catch (error) {
    send({ failure: messageOf(error) })
  }
}

const betweenMs = 100

function showProgress(): (progress: JobProgress) => void {
  let shownAt = Number.NEGATIVE_INFINITY
  let part = ''
  return (progress) => {
    const now = performance.now()
    if (progress.part === part && now - shownAt < betweenMs) return
    shownAt = now
    part = progress.part
    send({ progress })
  }
}
